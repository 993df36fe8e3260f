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
      return ProviderError.midstream.json.event
    case .done:
      position += 1
      return JSONText.done
    }
  }

  private mutating func advanceChoice() -> Int {
    let index = choice
    choice = (choice + 1) % answer.request.choices
    return index
  }

  // MARK: Choices

  private func choice(
    _ index: Int, finishReason: String? = nil, delta: JSONText
  ) -> JSONText {
    """
    {"index":\(index),"delta":{\(delta)},"logprobs":null,"finish_reason":\(finishReason)}
    """
  }

  private func role(choice index: Int) -> JSONText {
    guard let call = answer.request.toolCall else {
      let refusal: JSONText? = answer.dialect == .openAI ? .null : nil
      return choice(
        index,
        delta: """
          "role":"assistant","content":""\(member: "refusal", refusal)
          """)
    }
    return choice(
      index,
      delta: """
        "role":"assistant","content":null,
        "tool_calls":[{"index":0,\(answer.members(of: call, arguments: ""))}]
        """)
  }

  private func delta(_ text: String, choice index: Int) -> JSONText {
    guard answer.request.toolCall != nil else {
      return choice(index, delta: #""content":\#(text)"#)
    }
    return choice(
      index, delta: #""tool_calls":[{"index":0,"function":{"arguments":\#(text)}}]"#)
  }

  private func finish(choice index: Int) -> JSONText {
    choice(index, finishReason: answer.finishReason, delta: "")
  }

  // MARK: Chunks

  /// A chunk with one choice. Without a choice, the chunk has the usage.
  ///
  /// If the request asks for usage, OpenAI's other chunks have a `usage` of null, and Groq's have
  /// none. Groq's last chunk has the usage twice if the request asked for it, else once under
  /// `x_groq`.
  private func chunk(_ choice: JSONText?, isFirst: Bool = false, isLast: Bool = false) -> [UInt8] {
    var (usage, mark): (JSONText?, JSONText?)
    let showsUsage = answer.request.includesUsage && !answer.script.hidesUsage
    switch answer.dialect {
    case .openAI:
      if showsUsage { usage = choice == nil ? answer.usage.json(.openAI) : .null }
    case .groq:
      if showsUsage && (isLast || choice == nil) { usage = answer.usage.json(.groq) }
      if isFirst { mark = answer.groqMark }
      if isLast { mark = groqEnd }
    }
    let showsTier = answer.dialect == .openAI || choice == nil
    let tier: JSONText? = showsTier ? "\(answer.serviceTier)" : nil
    let chunk: JSONText = """
      {"id":\(answer.id),"object":"chat.completion.chunk","created":\(answer.identity.created),
      "model":\(answer.model)\(member: "service_tier", tier),
      "system_fingerprint":"fp_sandbox","choices":[\(choice ?? "")]
      \(member: "usage", usage)\(member: "x_groq", mark)}
      """
    return chunk.event
  }

  private var groqEnd: JSONText {
    let usage = answer.script.hidesUsage ? nil : answer.usage.json(.groq)
    let breakdown = answer.isCompound ? answer.breakdown : nil
    return """
      {"id":"req_sandbox_\(answer.identity.number)"\(member: "usage", usage)
      \(member: "usage_breakdown", breakdown)}
      """
  }
}
