internal import JSON

/// The settings of a session, as its events state them.
struct RealtimeSettings {
  let model: String
  private(set) var transcriptionModel: String?
  private var outputLimit: Int64?

  init(model: String) {
    self.model = model
  }

  mutating func update(with session: JSONValue?) {
    guard let session else { return }
    if let transcription = session["audio"]?["input"]?["transcription"] {
      transcriptionModel = transcription["model"]?.string
    }
    if let limit = session["max_output_tokens"] { outputLimit = limit.integer }
  }

  func event(_ type: String, id: String) -> JSONText {
    let limit: JSONText = outputLimit.map { "\($0)" } ?? #""inf""#
    let transcription: JSONText = transcriptionModel.map { #"{"model":\#($0)}"# } ?? .null
    return RealtimeEvents.event(
      type, id: id,
      """
      ,"session":{"type":"realtime","model":\(model),"max_output_tokens":\(limit),
      "audio":{"input":{"transcription":\(transcription)}}}
      """)
  }
}

/// The events that a session's server sends.
enum RealtimeEvents {
  /// - Parameter members: the members after the first two, each with a comma before it.
  static func event(_ type: String, id: String, _ members: JSONText = "") -> JSONText {
    #"{"type":\#(type),"event_id":\#(id)\#(members)}"#
  }

  static func error(_ message: String, id: String) -> JSONText {
    event(
      "error", id: id,
      """
      ,"error":{"type":"invalid_request_error","code":"invalid_value","message":\(message)}
      """)
  }

  static func created(response: String, id: String) -> JSONText {
    let value = RealtimeEvents.response(response, "in_progress", usage: nil)
    return event("response.created", id: id, "\(member: "response", value)")
  }

  static func delta(_ text: String, response: String, id: String) -> JSONText {
    event(
      "response.output_text.delta", id: id,
      """
      ,"response_id":\(response),"item_id":\("item_" + response),"output_index":0,
      "content_index":0,"delta":\(text)
      """)
  }

  /// - Parameter audioInput: the input tokens that are sound.
  static func done(
    response: String, usage: SandboxUsage?, audioInput: Int64, id: String
  ) -> JSONText {
    let usage = usage?.realtimeJSON(audioInput: audioInput) ?? .null
    let value = RealtimeEvents.response(response, "completed", usage: usage)
    return event("response.done", id: id, "\(member: "response", value)")
  }

  static func transcription(audioTokens: Int64, id: String) -> JSONText {
    event(
      "conversation.item.input_audio_transcription.completed", id: id,
      """
      ,"item_id":"item_audio","content_index":0,"transcript":"some words",
      "usage":{"type":"tokens","input_tokens":\(audioTokens),
      "input_token_details":{"text_tokens":0,"audio_tokens":\(audioTokens)},
      "output_tokens":2,"total_tokens":\(audioTokens + 2)}
      """)
  }

  private static func response(_ id: String, _ status: String, usage: JSONText?) -> JSONText {
    """
    {"object":"realtime.response","id":\(id),"status":\(status),"conversation_id":"conv_1"
    \(member: "usage", usage)}
    """
  }
}

extension SandboxUsage {
  /// The usage in the words of the Realtime API. `audioTokens` are the tokens of the sound that was
  /// made. Text is cached before sound.
  fileprivate func realtimeJSON(audioInput: Int64) -> JSONText {
    let audio = min(audioInput, promptTokens)
    let cachedText = min(cachedTokens, promptTokens - audio)
    let made = min(audioTokens, completionTokens)
    return """
      {"total_tokens":\(totalTokens),"input_tokens":\(promptTokens),
      "output_tokens":\(completionTokens),
      "input_token_details":{"text_tokens":\(promptTokens - audio),"audio_tokens":\(audio),
      "image_tokens":0,"cached_tokens":\(cachedTokens),
      "cached_tokens_details":{"text_tokens":\(cachedText),
      "audio_tokens":\(cachedTokens - cachedText),"image_tokens":0}},
      "output_token_details":{"text_tokens":\(completionTokens - made),"audio_tokens":\(made)}}
      """
  }
}
