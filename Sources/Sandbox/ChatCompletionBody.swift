internal import JSON

extension SandboxChatAnswer {
  /// The body of an answer that isn't streamed.
  var body: [UInt8] {
    let content = content
    var writer = JSONWriter()
    writer.object { root in
      root.member("id", id)
      root.member("object", "chat.completion")
      root.member("created", identity.created)
      root.member("model", model)
      root.member("choices") { choices in
        choices.array { array in
          for index in 0..<request.choices { writeChoice(index, content, to: &array) }
        }
      }
      if !script.hidesUsage {
        root.member("usage") { usage.write(dialect, to: &$0) }
      }
      if dialect == .groq {
        root.member("usage_breakdown") {
          if isCompound { writeBreakdown(to: &$0) } else { $0.null() }
        }
      }
      root.member("service_tier", serviceTier)
      root.member("system_fingerprint", "fp_sandbox")
      if dialect == .groq {
        root.member("x_groq") { writeGroqMark(to: &$0) }
      }
    }
    return writer.bytes
  }

  private func writeChoice(_ index: Int, _ content: String, to writer: inout JSONWriter) {
    writer.object { choice in
      choice.member("index", Int64(index))
      choice.member("message") { message in
        message.object { writeMessage(content, to: &$0) }
      }
      choice.member("logprobs") { $0.null() }
      choice.member("finish_reason", finishReason)
    }
  }

  private func writeMessage(_ content: String, to message: inout JSONWriter) {
    message.member("role", "assistant")
    guard let call = request.toolCall else {
      message.member("content", content)
      writeExecutedTools(to: &message)
      message.member("refusal", nil)
      message.member("annotations") { $0.array { _ in } }
      return
    }
    message.member("content", nil)
    message.member("tool_calls") { calls in
      calls.array { array in
        array.object { writeToolCall(call, arguments: content, to: &$0) }
      }
    }
    message.member("refusal", nil)
  }

  func writeToolCall(
    _ call: ChatRequest.ToolCall, arguments: String, to writer: inout JSONWriter
  ) {
    writer.member("id", "call_sandbox_\(identity.number)")
    writer.member("type", "function")
    writer.member("function") { function in
      function.object {
        $0.member("name", call.name)
        $0.member("arguments", arguments)
      }
    }
  }

  /// Writes `x_groq` of a whole answer, or of a stream's first event.
  func writeGroqMark(to writer: inout JSONWriter) {
    writer.object {
      $0.member("id", "req_sandbox_\(identity.number)")
      $0.member("seed", identity.number)
    }
  }
}

/// The parts that Groq's compound models add to an answer: the models that made it, and the tools
/// that ran.
///
/// The first of the two models has all of the output. Each has half of the input.
extension SandboxChatAnswer {
  private static let models = ["openai/gpt-oss-120b", "llama-3.3-70b-versatile"]

  var isCompound: Bool { dialect == .groq && request.model.hasPrefix("groq/compound") }

  func writeBreakdown(to writer: inout JSONWriter) {
    let input = usage.promptTokens
    let parts = [
      SandboxUsage(promptTokens: input - input / 2, completionTokens: usage.completionTokens),
      SandboxUsage(promptTokens: input / 2, completionTokens: 0),
    ]
    writer.object { breakdown in
      breakdown.member("models") { models in
        models.array { array in
          for (model, part) in zip(SandboxChatAnswer.models, parts) {
            array.object {
              $0.member("model", model)
              $0.member("usage") { part.write(.groq, to: &$0) }
            }
          }
        }
      }
    }
  }

  /// Writes the number of searches that the script asks for.
  func writeExecutedTools(to message: inout JSONWriter) {
    guard isCompound else { return }
    message.member("executed_tools") { tools in
      tools.array { array in
        for index in 0..<script.webSearches {
          array.object {
            $0.member("index", Int64(index))
            $0.member("type", "search")
            $0.member("arguments", #"{"query":"turnstile"}"#)
            $0.member("output", "Title: Turnstile")
          }
        }
      }
    }
  }
}
