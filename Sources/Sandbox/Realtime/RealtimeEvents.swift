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

  func event(_ type: String, id: String) -> [UInt8] {
    RealtimeEvents.event(type, id: id) { event in
      event.member("session") { session in
        session.object { session in
          session.member("type", "realtime")
          session.member("model", model)
          session.key("max_output_tokens")
          if let outputLimit { session.integer(outputLimit) } else { session.string("inf") }
          session.member("audio") { audio in
            audio.object { $0.member("input") { writeInput(to: &$0) } }
          }
        }
      }
    }
  }

  private func writeInput(to writer: inout JSONWriter) {
    writer.object { input in
      input.key("transcription")
      if let transcriptionModel {
        input.object { $0.member("model", transcriptionModel) }
      } else {
        input.null()
      }
    }
  }
}

/// The events that a session's server sends.
enum RealtimeEvents {
  static func event(
    _ type: String, id: String, _ members: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { event in
      event.member("type", type)
      event.member("event_id", id)
      members(&event)
    }
    return writer.bytes
  }

  static func plain(_ type: String, id: String) -> [UInt8] {
    event(type, id: id) { _ in }
  }

  static func error(_ message: String, id: String) -> [UInt8] {
    event("error", id: id) { event in
      event.member("error") { error in
        error.object {
          $0.member("type", "invalid_request_error")
          $0.member("code", "invalid_value")
          $0.member("message", message)
        }
      }
    }
  }

  static func created(response: String, id: String) -> [UInt8] {
    event("response.created", id: id) { event in
      event.member("response") { writeResponse(response, "in_progress", to: &$0) { _ in } }
    }
  }

  static func delta(_ text: String, response: String, id: String) -> [UInt8] {
    event("response.output_text.delta", id: id) { event in
      event.member("response_id", response)
      event.member("item_id", "item_\(response)")
      event.member("output_index", 0)
      event.member("content_index", 0)
      event.member("delta", text)
    }
  }

  /// - Parameter audioInput: the input tokens that are sound.
  static func done(
    response: String, usage: SandboxUsage?, audioInput: Int64, id: String
  ) -> [UInt8] {
    event("response.done", id: id) { event in
      event.member("response") { value in
        writeResponse(response, "completed", to: &value) { members in
          members.key("usage")
          if let usage {
            usage.writeForRealtime(audioInput: audioInput, to: &members)
          } else {
            members.null()
          }
        }
      }
    }
  }

  static func transcription(audioTokens: Int64, id: String) -> [UInt8] {
    event("conversation.item.input_audio_transcription.completed", id: id) { event in
      event.member("item_id", "item_audio")
      event.member("content_index", 0)
      event.member("transcript", "some words")
      event.member("usage") { usage in
        usage.object { usage in
          usage.member("type", "tokens")
          usage.member("input_tokens", audioTokens)
          usage.member("input_token_details") { details in
            details.object {
              $0.member("text_tokens", 0)
              $0.member("audio_tokens", audioTokens)
            }
          }
          usage.member("output_tokens", 2)
          usage.member("total_tokens", audioTokens + 2)
        }
      }
    }
  }

  private static func writeResponse(
    _ id: String, _ status: String, to writer: inout JSONWriter,
    _ members: (inout JSONWriter) -> Void
  ) {
    writer.object { response in
      response.member("object", "realtime.response")
      response.member("id", id)
      response.member("status", status)
      response.member("conversation_id", "conv_1")
      members(&response)
    }
  }
}

extension SandboxUsage {
  /// Writes the usage in the words of the Realtime API. `audioTokens` are the tokens of the sound
  /// that was made. Text is cached before sound.
  fileprivate func writeForRealtime(audioInput: Int64, to writer: inout JSONWriter) {
    let audio = min(audioInput, promptTokens)
    let cachedText = min(cachedTokens, promptTokens - audio)
    writer.object { usage in
      usage.member("total_tokens", totalTokens)
      usage.member("input_tokens", promptTokens)
      usage.member("output_tokens", completionTokens)
      usage.member("input_token_details") { details in
        details.object { details in
          details.member("text_tokens", promptTokens - audio)
          details.member("audio_tokens", audio)
          details.member("image_tokens", 0)
          details.member("cached_tokens", cachedTokens)
          details.member("cached_tokens_details") { cached in
            cached.object {
              $0.member("text_tokens", cachedText)
              $0.member("audio_tokens", cachedTokens - cachedText)
              $0.member("image_tokens", 0)
            }
          }
        }
      }
      usage.member("output_token_details") { details in
        details.object {
          $0.member("text_tokens", completionTokens - min(audioTokens, completionTokens))
          $0.member("audio_tokens", min(audioTokens, completionTokens))
        }
      }
    }
  }
}
