/// The kind of work that a request asks for; `usage_logs.operation`.
public enum Operation: String, Sendable, Hashable, CaseIterable {
  case chat, responses, completion, embedding, transcription, translation, speech, image
  case moderation, batch, realtime
}
