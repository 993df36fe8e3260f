/// An answer that a provider bills: its content, and the usage that the journal keeps.
struct BilledAnswer {
  let model: String
  let usage: SandboxUsage
  let content: Content

  enum Content {
    case whole([UInt8])
    /// The events of a stream, made one at a time.
    case stream(AnySequence<[UInt8]>)
  }

  var isStreamed: Bool {
    if case .stream = content { true } else { false }
  }

  init(model: String, usage: SandboxUsage, content: Content) {
    self.model = model
    self.usage = usage
    self.content = content
  }

  /// An answer in words, in the shape of its endpoint.
  init(_ answer: SandboxChatAnswer, shape: (SandboxChatAnswer) -> Content) {
    self.init(model: answer.request.model, usage: answer.usage, content: shape(answer))
  }
}
