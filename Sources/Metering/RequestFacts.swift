public import Pricing

/// What metering needs to know of a request, read from its body once.
public struct RequestFacts: Sendable, Hashable {
  public var operation: Operation
  public var model: String
  public var stream = false
  /// Whether the client itself asks for usage in a stream.
  public var asksForUsage = false
  /// The request's own limit of output tokens for one choice, positive; nil if it sets none.
  public var outputLimit: Int64?
  /// How many answers are asked for, 1…128.
  public var choices: Int64 = 1
  public var serviceTier: String?
  /// The client's own end user.
  public var user: String?
  public var conversation: String?
  public var reasoningEffort: String?
  /// Whether the answer may be spoken.
  public var asksForAudio = false
  /// Whether the provider may search the web for the answer, at a fee.
  public var maySearchWeb = false
  public var input = InputSize()
  /// Bytes of predicted output; what is rejected of it is billed as output.
  public var predictionBytes: Int64 = 0

  public init(operation: Operation, model: String) {
    self.operation = operation
    self.model = model
  }

  public var toolCount: Int64 { input.tools }
  public var hasImages: Bool { input.images + input.lowDetailImages > 0 }
  public var hasAudioInput: Bool { input.audioMilliseconds > 0 }

  /// The longest model name and identifier of a user or conversation that is taken, in bytes.
  public static let longestName = 512
  /// How many answers one request may ask for.
  public static let choicesAllowed: ClosedRange<Int64> = 1...128
}
