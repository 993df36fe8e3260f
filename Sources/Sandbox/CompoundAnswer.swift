internal import JSON

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
