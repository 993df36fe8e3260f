internal import JSON

extension SandboxChatAnswer {
  /// The answer as a response of the Responses API.
  var response: BilledAnswer.Content {
    guard request.isStreamed else {
      return .whole(responseJSON(request.isBackground ? .queued : .done))
    }
    return .stream(AnySequence(responseEvents))
  }

  var responseID: String { "resp_sandbox_\(identity.number)" }

  /// The body of a stored response at a stage, for a client that asks for it.
  func response(at stage: ResponseStage) -> [UInt8] { responseJSON(stage) }

  /// The answer of `/responses/compact` to a conversation.
  var compaction: BilledAnswer.Content {
    var writer = JSONWriter()
    writer.object { root in
      root.member("id", "resp_sandbox_\(identity.number)")
      root.member("object", "response.compaction")
      root.member("created_at", identity.created)
      root.member("output") { output in
        output.array { array in
          array.object {
            $0.member("type", "compaction")
            $0.member("id", "cmp_sandbox_\(identity.number)")
            $0.member("encrypted_content", content)
          }
        }
      }
      root.member("usage") { usage.writeForResponses(dialect, to: &$0) }
    }
    return .whole(writer.bytes)
  }

  private var isCutShort: Bool { finishReason == "length" }

  var responseEvents: [[UInt8]] {
    var events = SandboxResponseEvents()
    events.add("response.created") { $0.member("response") { $0.raw(responseJSON(.inProgress)) } }
    events.add("response.output_item.added") { event in
      event.member("output_index", 0)
      event.member("item") { writeMessage(nil, to: &$0) }
    }
    let lastPiece = script.failsMidstream ? (pieceCount + 1) / 2 : pieceCount
    for index in 0..<lastPiece {
      events.add("response.output_text.delta") { event in
        event.member("item_id", "msg_sandbox_\(identity.number)")
        event.member("output_index", 0)
        event.member("content_index", 0)
        event.member("delta", piece(index))
        event.member("logprobs") { $0.array { _ in } }
      }
    }
    if script.failsMidstream {
      events.add("error") { event in
        event.member("code", "server_error")
        event.member("message", ProviderError.midstream.message)
        event.member("param", nil)
      }
      return events.all
    }
    events.add("response.output_item.done") { event in
      event.member("output_index", 0)
      event.member("item") { writeMessage(content, to: &$0) }
    }
    events.add(isCutShort ? "response.incomplete" : "response.completed") { event in
      event.member("response") { $0.raw(responseJSON(.done)) }
    }
    return events.all
  }

  private func responseJSON(_ stage: ResponseStage) -> [UInt8] {
    let isDone = stage == .done
    var writer = JSONWriter()
    writer.object { root in
      root.member("id", responseID)
      root.member("object", "response")
      root.member("created_at", identity.created)
      root.member("status", isDone && isCutShort ? "incomplete" : stage.rawValue)
      if request.isBackground { root.member("background", true) }
      root.member("error") { $0.null() }
      root.member("incomplete_details") { details in
        guard isDone && isCutShort else { return details.null() }
        details.object { $0.member("reason", "max_output_tokens") }
      }
      root.member("model", model)
      root.member("output") { output in
        output.array { array in
          guard isDone else { return }
          for index in 0..<script.webSearches { writeSearch(index, to: &array) }
          for index in 0..<script.fileSearches { writeFileSearch(index, to: &array) }
          for index in 0..<2 * script.containers { writeInterpreterCall(index, to: &array) }
          writeMessage(content, to: &array)
        }
      }
      root.member("parallel_tool_calls", true)
      root.member("tool_choice", "auto")
      root.member("tools") { $0.array { _ in } }
      root.member("usage") { usage in
        guard isDone && !script.hidesUsage else { return usage.null() }
        self.usage.writeForResponses(dialect, to: &usage)
      }
      if isDone && request.drawsImages { root.member("tool_usage") { writeDrawing(to: &$0) } }
      root.member("service_tier", serviceTier)
    }
    return writer.bytes
  }

  /// Writes the usage of the tool that draws, in tokens of its own model.
  private func writeDrawing(to writer: inout JSONWriter) {
    writer.object { usage in
      usage.member("image_gen") { image in
        image.object {
          $0.member("input_tokens", 100)
          $0.member("output_tokens", 1056)
          $0.member("output_tokens_details") { details in
            details.object {
              $0.member("image_tokens", 1056)
              $0.member("text_tokens", 0)
            }
          }
          $0.member("total_tokens", 1156)
        }
      }
    }
  }

  private func writeSearch(_ index: Int, to writer: inout JSONWriter) {
    writer.object { item in
      item.member("type", "web_search_call")
      item.member("id", "ws_sandbox_\(index)")
      item.member("status", "completed")
      item.member("action") { action in
        action.object {
          $0.member("type", "search")
          $0.member("query", "turnstile")
        }
      }
    }
  }

  private func writeFileSearch(_ index: Int, to writer: inout JSONWriter) {
    writer.object { item in
      item.member("type", "file_search_call")
      item.member("id", "fs_sandbox_\(identity.number)_\(index)")
      item.member("status", "completed")
      item.member("queries") { $0.array { $0.string("turnstile") } }
      item.member("results") { $0.null() }
    }
  }

  /// Writes a call of the code interpreter. Two calls share a container, which is billed once.
  private func writeInterpreterCall(_ index: Int, to writer: inout JSONWriter) {
    writer.object { item in
      item.member("type", "code_interpreter_call")
      item.member("id", "ci_sandbox_\(identity.number)_\(index)")
      item.member("status", "completed")
      item.member("container_id", "cntr_sandbox_\(identity.number)_\(index / 2)")
      item.member("code", "print(1)")
      item.member("outputs") { $0.null() }
    }
  }

  /// - Parameter text: nil if the message has only begun.
  private func writeMessage(_ text: String?, to writer: inout JSONWriter) {
    writer.object { item in
      item.member("type", "message")
      item.member("id", "msg_sandbox_\(identity.number)")
      item.member("status", text == nil ? "in_progress" : "completed")
      item.member("role", "assistant")
      item.member("content") { content in
        content.array { array in
          guard let text else { return }
          array.object {
            $0.member("type", "output_text")
            $0.member("text", text)
            $0.member("annotations") { $0.array { _ in } }
          }
        }
      }
    }
  }
}

/// Numbers the events of a response's stream. Each event states its type twice.
private struct SandboxResponseEvents {
  private(set) var all: [[UInt8]] = []

  mutating func add(_ type: String, _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    writer.object { event in
      event.member("type", type)
      event.member("sequence_number", Int64(all.count))
      write(&event)
    }
    all.append(Array("event: \(type)\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8))
  }
}
