extension SandboxChatAnswer {
  /// The answer as a response of the Responses API.
  var response: BilledAnswer.Content {
    guard request.isStreamed else {
      return .whole(response(at: request.isBackground ? .queued : .done))
    }
    return .stream(AnySequence(responseEvents))
  }

  var responseID: String { "resp_sandbox_\(identity.number)" }

  /// The answer of `/responses/compact` to a conversation.
  var compaction: BilledAnswer.Content {
    .whole(
      """
      {"id":\(responseID),"object":"response.compaction","created_at":\(identity.created),
      "output":[{"type":"compaction","id":"cmp_sandbox_\(identity.number)",
      "encrypted_content":\(content)}],"usage":\(usage.responsesJSON(dialect))}
      """)
  }

  private var isCutShort: Bool { finishReason == "length" }

  /// The response at a stage, as a client that asks for it gets it.
  func response(at stage: ResponseStage) -> JSONText {
    let isDone = stage == .done
    let isIncomplete = isDone && isCutShort
    let details: JSONText = isIncomplete ? #"{"reason":"max_output_tokens"}"# : .null
    let usage = isDone && !script.hidesUsage ? usage.responsesJSON(dialect) : .null
    let drawing = isDone && request.drawsImages ? SandboxChatAnswer.drawing : nil
    return """
      {"id":\(responseID),"object":"response","created_at":\(identity.created),
      "status":\(isIncomplete ? "incomplete" : stage.rawValue)
      \(member: "background", request.isBackground ? "true" : nil),
      "error":null,"incomplete_details":\(details),"model":\(model),
      "output":\(isDone ? toolCalls + [message(content)] : []),
      "parallel_tool_calls":true,"tool_choice":"auto","tools":[],"usage":\(usage)
      \(member: "tool_usage", drawing),"service_tier":\(serviceTier)}
      """
  }

  /// The usage of the tool that draws, in tokens of its own model.
  private static let drawing: JSONText = """
    {"image_gen":{"input_tokens":100,"output_tokens":1056,
    "output_tokens_details":{"image_tokens":1056,"text_tokens":0},"total_tokens":1156}}
    """

  /// The calls of the provider's tools. Two calls of the code interpreter share a container, which
  /// is billed once.
  private var toolCalls: [JSONText] {
    let number = identity.number
    let webSearches = (0..<script.webSearches).map { index -> JSONText in
      """
      {"type":"web_search_call","id":"ws_sandbox_\(index)","status":"completed",
      "action":{"type":"search","query":"turnstile"}}
      """
    }
    let fileSearches = (0..<script.fileSearches).map { index -> JSONText in
      """
      {"type":"file_search_call","id":"fs_sandbox_\(number)_\(index)","status":"completed",
      "queries":["turnstile"],"results":null}
      """
    }
    let interpreterCalls = (0..<2 * script.containers).map { index -> JSONText in
      """
      {"type":"code_interpreter_call","id":"ci_sandbox_\(number)_\(index)","status":"completed",
      "container_id":"cntr_sandbox_\(number)_\(index / 2)","code":"print(1)","outputs":null}
      """
    }
    return webSearches + fileSearches + interpreterCalls
  }

  /// - Parameter text: nil if the message has only begun.
  private func message(_ text: String?) -> JSONText {
    let parts = text.map { [textPart($0)] }
    return """
      {"type":"message","id":"msg_sandbox_\(identity.number)",
      "status":\(text == nil ? "in_progress" : "completed"),
      "role":"assistant","content":\(parts ?? [])}
      """
  }

  private func textPart(_ text: String) -> JSONText {
    #"{"type":"output_text","text":\#(text),"annotations":[]}"#
  }

  // MARK: Events

  /// The events of the response's stream.
  var responseEvents: [[UInt8]] {
    var events = SandboxResponseEvents()
    events.add("response.created", #""response":\#(response(at: .inProgress))"#)
    events.add("response.output_item.added", #""output_index":0,"item":\#(message(nil))"#)
    let place: JSONText = """
      "item_id":"msg_sandbox_\(identity.number)","output_index":0,"content_index":0
      """
    events.add("response.content_part.added", #"\#(place),"part":\#(textPart(""))"#)
    for index in 0..<(script.failsMidstream ? (pieceCount + 1) / 2 : pieceCount) {
      events.add(
        "response.output_text.delta",
        #"\#(place),"delta":\#(piece(index)),"logprobs":[]"#)
    }
    if script.failsMidstream {
      let message = ProviderError.midstream.message
      events.add("error", #""code":"server_error","message":\#(message),"param":null"#)
      return events.all
    }
    events.add("response.output_text.done", #"\#(place),"text":\#(content),"logprobs":[]"#)
    events.add("response.content_part.done", #"\#(place),"part":\#(textPart(content))"#)
    events.add("response.output_item.done", #""output_index":0,"item":\#(message(content))"#)
    events.add(
      isCutShort ? "response.incomplete" : "response.completed",
      #""response":\#(response(at: .done))"#)
    return events.all
  }
}

/// Numbers the events of a response's stream. Each event states its type twice.
private struct SandboxResponseEvents {
  private(set) var all: [[UInt8]] = []

  mutating func add(_ type: String, _ members: JSONText) {
    let event: JSONText = #"{"type":\#(type),"sequence_number":\#(all.count),\#(members)}"#
    all.append(event.event(named: type))
  }
}
