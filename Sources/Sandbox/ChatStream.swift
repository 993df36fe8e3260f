internal import JSON

/// The events of a streamed chat completion, made one at a time.
struct ChatStream: Sequence, IteratorProtocol {
  private let answer: SandboxChatAnswer
  private var steps: [Step]
  private var position = 0
  private var piece = 0

  /// A part of the stream.
  private enum Step {
    /// The role of each choice.
    case roles
    /// The pieces of text before this index, of each choice in turn.
    case pieces(until: Int)
    /// The end of each choice.
    case finishes
    case usage
    case error
    case done
  }

  private var choice = 0

  init(_ answer: SandboxChatAnswer) {
    self.answer = answer
    let script = answer.script
    if script.failsMidstream {
      steps = [.roles, .pieces(until: (answer.pieceCount + 1) / 2), .error]
    } else {
      steps = [.roles, .pieces(until: answer.pieceCount), .finishes]
      if answer.request.includesUsage && !script.hidesUsage { steps.append(.usage) }
      if !script.endsWithoutDone { steps.append(.done) }
    }
  }

  /// The bytes of the next event, with the empty line that ends it.
  mutating func next() -> [UInt8]? {
    guard position < steps.count else { return nil }
    switch steps[position] {
    case .roles:
      let index = advanceChoice()
      if choice == 0 { position += 1 }
      return chunk(role(choice: index), isFirst: index == 0)
    case .pieces(let end):
      guard piece < end else {
        position += 1
        return next()
      }
      let text = answer.piece(piece)
      let index = advanceChoice()
      if choice == 0 { piece += 1 }
      return chunk(delta(text, choice: index))
    case .finishes:
      let index = advanceChoice()
      if choice == 0 { position += 1 }
      return chunk(finish(choice: index), isLast: choice == 0)
    case .usage:
      position += 1
      return chunk(nil)
    case .error:
      position += 1
      return ChatStream.event(ProviderError.midstream.json)
    case .done:
      position += 1
      return ChatStream.event(Array("[DONE]".utf8))
    }
  }

  private mutating func advanceChoice() -> Int {
    let index = choice
    choice = (choice + 1) % answer.request.choices
    return index
  }

  private static func event(_ data: [UInt8]) -> [UInt8] {
    Array("data: ".utf8) + data + Array("\n\n".utf8)
  }

  // MARK: Choices

  private func choice(
    _ index: Int, finishReason: String? = nil, delta: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { choice in
      choice.member("index", Int64(index))
      choice.member("delta") { $0.object { delta(&$0) } }
      choice.member("logprobs") { $0.null() }
      choice.member("finish_reason", finishReason)
    }
    return writer.bytes
  }

  private func role(choice index: Int) -> [UInt8] {
    choice(index) { delta in
      delta.member("role", "assistant")
      guard let call = answer.request.toolCall else {
        delta.member("content", "")
        if answer.dialect == .openAI { delta.member("refusal", nil) }
        return
      }
      delta.member("content", nil)
      delta.member("tool_calls") { calls in
        calls.array { array in
          array.object {
            $0.member("index", 0)
            answer.writeToolCall(call, arguments: "", to: &$0)
          }
        }
      }
    }
  }

  private func delta(_ text: String, choice index: Int) -> [UInt8] {
    choice(index) { delta in
      guard answer.request.toolCall != nil else {
        delta.member("content", text)
        return
      }
      delta.member("tool_calls") { calls in
        calls.array { array in
          array.object { call in
            call.member("index", 0)
            call.member("function") { $0.object { $0.member("arguments", text) } }
          }
        }
      }
    }
  }

  private func finish(choice index: Int) -> [UInt8] {
    choice(index, finishReason: answer.finishReason) { _ in }
  }

  // MARK: Chunks

  /// A chunk with one choice. Without a choice, the chunk has the usage.
  ///
  /// If the request asks for usage, OpenAI's other chunks have a `usage` of null, and Groq's have
  /// none. Groq's last chunk has the usage twice if the request asked for it, else once under
  /// `x_groq`.
  private func chunk(_ choice: [UInt8]?, isFirst: Bool = false, isLast: Bool = false) -> [UInt8] {
    let showsUsage = answer.request.includesUsage && !answer.script.hidesUsage
    var writer = JSONWriter()
    writer.object { root in
      root.member("id", answer.id)
      root.member("object", "chat.completion.chunk")
      root.member("created", answer.identity.created)
      root.member("model", answer.model)
      if answer.dialect == .openAI || choice == nil {
        root.member("service_tier", answer.serviceTier)
      }
      root.member("system_fingerprint", "fp_sandbox")
      root.member("choices") { choices in
        choices.array { if let choice { $0.raw(choice) } }
      }
      switch answer.dialect {
      case .openAI:
        if showsUsage { writeUsage(isNull: choice != nil, to: &root) }
      case .groq:
        if showsUsage && (isLast || choice == nil) { writeUsage(isNull: false, to: &root) }
        if isFirst { root.member("x_groq") { answer.writeGroqMark(to: &$0) } }
        if isLast { writeGroqEnd(to: &root) }
      }
    }
    return ChatStream.event(writer.bytes)
  }

  private func writeUsage(isNull: Bool, to root: inout JSONWriter) {
    root.key("usage")
    if isNull {
      root.null()
    } else {
      answer.usage.write(answer.dialect, to: &root)
    }
  }

  private func writeGroqEnd(to root: inout JSONWriter) {
    root.member("x_groq") { mark in
      mark.object {
        $0.member("id", "req_sandbox_\(answer.identity.number)")
        if !answer.script.hidesUsage {
          $0.key("usage")
          answer.usage.write(.groq, to: &$0)
        }
        if answer.isCompound {
          $0.key("usage_breakdown")
          answer.writeBreakdown(to: &$0)
        }
      }
    }
  }
}
