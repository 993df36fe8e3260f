internal import JSON

extension SandboxChatAnswer {
  /// The answer as a legacy completion.
  var completion: BilledAnswer.Content {
    guard request.isStreamed else { return .whole(completionBody) }
    return .stream(AnySequence(completionEvents))
  }

  private var completionBody: [UInt8] {
    completionJSON(showsUsage: !script.hidesUsage) { choices in
      for index in 0..<request.choices {
        writeCompletionChoice(index, content, finishReason: finishReason, to: &choices)
      }
    }
  }

  /// The events of a streamed completion: one chunk for each piece and choice, the chunk that ends
  /// all choices, the usage, then `[DONE]`.
  private var completionEvents: [[UInt8]] {
    var events: [[UInt8]] = []
    for index in 0..<pieceCount {
      for choice in 0..<request.choices {
        events.append(
          completionChunk {
            writeCompletionChoice(choice, piece(index), finishReason: nil, to: &$0)
          })
      }
    }
    events.append(
      completionChunk { choices in
        for choice in 0..<request.choices {
          writeCompletionChoice(choice, "", finishReason: finishReason, to: &choices)
        }
      })
    if request.includesUsage && !script.hidesUsage {
      events.append(event(completionJSON(showsUsage: true) { _ in }))
    }
    if !script.endsWithoutDone { events.append(event(Array("[DONE]".utf8))) }
    return events
  }

  private func completionChunk(_ writeChoices: (inout JSONWriter) -> Void) -> [UInt8] {
    event(completionJSON(showsUsage: nil, writeChoices))
  }

  /// - Parameter showsUsage: nil for a `usage` of null if the request asked for usage, and else for
  ///   none.
  private func completionJSON(
    showsUsage: Bool?, _ writeChoices: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { root in
      root.member("id", "cmpl-sandbox-\(identity.number)")
      root.member("object", "text_completion")
      root.member("created", identity.created)
      root.member("model", model)
      root.member("choices") { $0.array { writeChoices(&$0) } }
      if showsUsage == true {
        root.member("usage") { usage.write(dialect, to: &$0) }
      } else if showsUsage == nil && request.includesUsage {
        root.member("usage") { $0.null() }
      }
    }
    return writer.bytes
  }

  private func writeCompletionChoice(
    _ index: Int, _ text: String, finishReason: String?, to writer: inout JSONWriter
  ) {
    writer.object { choice in
      choice.member("text", text)
      choice.member("index", Int64(index))
      choice.member("logprobs") { $0.null() }
      choice.member("finish_reason", finishReason)
    }
  }

  func event(_ data: [UInt8]) -> [UInt8] {
    Array("data: ".utf8) + data + Array("\n\n".utf8)
  }
}
