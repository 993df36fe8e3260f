extension SandboxChatAnswer {
  /// The body of an answer that isn't streamed.
  var body: JSONText {
    let content = content
    let choices = (0..<request.choices).map { choice($0, content) }
    let breakdown = isCompound ? breakdown : .null
    return """
      {"id":\(id),"object":"chat.completion","created":\(identity.created),"model":\(model),
      "choices":\(choices)\(member: "usage", script.hidesUsage ? nil : usage.json(dialect))
      \(member: "usage_breakdown", dialect == .groq ? breakdown : nil),
      "service_tier":\(serviceTier),"system_fingerprint":"fp_sandbox"
      \(member: "x_groq", dialect == .groq ? groqMark : nil)}
      """
  }

  private func choice(_ index: Int, _ content: String) -> JSONText {
    """
    {"index":\(index),"message":\(message(content)),"logprobs":null,
    "finish_reason":\(finishReason)}
    """
  }

  private func message(_ content: String) -> JSONText {
    guard let call = request.toolCall else {
      return """
        {"role":"assistant","content":\(content)\(member: "executed_tools", executedTools),
        "refusal":null,"annotations":[]}
        """
    }
    return """
      {"role":"assistant","content":null,
      "tool_calls":[{\(members(of: call, arguments: content))}],"refusal":null}
      """
  }

  /// The members of a tool call, without the braces.
  func members(of call: ChatRequest.ToolCall, arguments: String) -> JSONText {
    """
    "id":"call_sandbox_\(identity.number)","type":"function",
    "function":{"name":\(call.name),"arguments":\(arguments)}
    """
  }

  /// The member `x_groq` of a whole answer, or of a stream's first event.
  var groqMark: JSONText {
    #"{"id":"req_sandbox_\#(identity.number)","seed":\#(identity.number)}"#
  }
}

/// The parts that Groq's compound models add to an answer: the models that made it, and the tools
/// that ran.
///
/// The first of the two models has all of the output. Each has half of the input.
extension SandboxChatAnswer {
  var isCompound: Bool { dialect == .groq && request.model.hasPrefix("groq/compound") }

  var breakdown: JSONText {
    let input = usage.promptTokens
    let first = SandboxUsage(
      promptTokens: input - input / 2, completionTokens: usage.completionTokens)
    let second = SandboxUsage(promptTokens: input / 2, completionTokens: 0)
    return """
      {"models":[{"model":"openai/gpt-oss-120b","usage":\(first.json(.groq))},
      {"model":"llama-3.3-70b-versatile","usage":\(second.json(.groq))}]}
      """
  }

  /// The searches that the script asks for; nil if the model runs no tools.
  private var executedTools: JSONText? {
    guard isCompound else { return nil }
    let searches = (0..<script.webSearches).map { index -> JSONText in
      """
      {"index":\(index),"type":"search","arguments":"{\\"query\\":\\"turnstile\\"}",
      "output":"Title: Turnstile"}
      """
    }
    return "\(searches)"
  }
}

extension SandboxChatAnswer {
  /// The answer as a legacy completion.
  var completion: BilledAnswer.Content {
    guard request.isStreamed else {
      let choices = completionChoices(content, finishReason: finishReason)
      return .whole(completionJSON(choices, usage: script.hidesUsage ? nil : usage.json(dialect)))
    }
    return .stream(AnySequence(completionEvents))
  }

  /// The events of a streamed completion: one chunk for each piece and choice, the chunk that ends
  /// all choices, the usage, then `[DONE]`.
  private var completionEvents: [[UInt8]] {
    let noUsage: JSONText? = request.includesUsage ? .null : nil
    var chunks: [JSONText] = []
    for index in 0..<pieceCount {
      for choice in completionChoices(piece(index), finishReason: nil) {
        chunks.append(completionJSON([choice], usage: noUsage))
      }
    }
    let ends = completionChoices("", finishReason: finishReason)
    chunks.append(completionJSON(ends, usage: noUsage))
    if request.includesUsage && !script.hidesUsage {
      chunks.append(completionJSON([], usage: usage.json(dialect)))
    }
    return chunks.map(\.event) + (script.endsWithoutDone ? [] : [JSONText.done])
  }

  private func completionJSON(_ choices: [JSONText], usage: JSONText?) -> JSONText {
    """
    {"id":"cmpl-sandbox-\(identity.number)","object":"text_completion",
    "created":\(identity.created),"model":\(model),"choices":\(choices)\(member: "usage", usage)}
    """
  }

  /// The same text for each choice.
  private func completionChoices(_ text: String, finishReason: String?) -> [JSONText] {
    (0..<request.choices).map { index in
      """
      {"text":\(text),"index":\(index),"logprobs":null,"finish_reason":\(finishReason)}
      """
    }
  }
}
