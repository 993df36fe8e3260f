import JSON
import Objects
import Pricing

/// Reads what an answer says of its usage, whole or event by event. Each format of answers has a
/// reader, in a file of its name; the table of endpoints says which endpoint has which.
protocol AnswerReader: Sendable {
  /// Whether a good answer is bytes that say nothing about usage, such as sound: it is passed on
  /// as it comes, and what the reader reports without having read anything is charged.
  static var isOpaque: Bool { get }

  /// What an answer can report beside input and output, and that has prices of its own.
  static var reportableDetails: Set<PricedQuantity> { get }

  /// - Parameter facts: of the request, from which some formats take what is charged.
  init(for facts: RequestFacts)

  /// Reads a whole answer: a JSON object.
  mutating func read(answer root: JSONValue)

  /// Reads a whole answer that isn't JSON; false where it should be.
  mutating func read(text: [UInt8]) -> Bool

  /// Reads an event of a stream: a JSON object.
  mutating func read(event root: JSONValue) -> AnswerEvent

  /// Bytes of text in the last event, if reading it again would do nothing but count them once
  /// more; nil where it would do anything else.
  var repeatableText: Int? { get }

  /// Reads an event that is the last one again, with so many bytes of text.
  mutating func repeatLastEvent(textBytes: Int)

  /// The objects that were read since the last call, which a client may name once it has seen the
  /// events up to here.
  mutating func takeMadeObjects() -> [MadeObject]

  /// Takes note that the answer, or an event of it, isn't what was expected.
  mutating func noteUnreadable()

  /// All that was gathered so far.
  var report: UsageReport { get }

  /// Whether what was read says that something failed: as in `report`, at no cost.
  var isError: Bool { get }
}

extension AnswerReader {
  static var isOpaque: Bool { false }

  static var reportableDetails: Set<PricedQuantity> { ReportedUsage.details }

  var isError: Bool { report.isError }

  /// Of no event it is known, unless a reader says so.
  var repeatableText: Int? { nil }

  mutating func repeatLastEvent(textBytes: Int) {
    preconditionFailure("no event of this format can be repeated")
  }

  /// For formats that are always JSON.
  mutating func read(text: [UInt8]) -> Bool { false }

  /// For formats whose answers make no objects.
  mutating func takeMadeObjects() -> [MadeObject] { [] }

  /// For formats that have no streams.
  mutating func read(event root: JSONValue) -> AnswerEvent {
    noteUnreadable()
    return .ordinary
  }
}

/// What an event of a stream is, as far as passing it on goes.
enum AnswerEvent: Hashable, Sendable {
  case ordinary
  /// There only because usage was asked for.
  case usageOnly
  /// Has a `usage` of null, because usage was asked for.
  case emptyUsage
  /// Ends the stream, as `[DONE]` does elsewhere: withheld until the usage is recorded.
  case last

  /// A chunk of a stream whose usage comes in a chunk of its own, without choices.
  ///
  /// - Parameter usage: what the member `usage` is; nil if there is none.
  init(usage: JSONValue.Kind?, hasChoices: Bool) {
    switch usage {
    case .null: self = .emptyUsage
    case .object: self = hasChoices ? .ordinary : .usageOnly
    default: self = .ordinary
    }
  }
}
