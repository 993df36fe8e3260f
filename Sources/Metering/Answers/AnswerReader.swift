import JSON
import Objects
import Pricing

/// Reads the usage of an answer, whole or event by event. Each answer format has a reader in a file
/// of its name. The table of endpoints assigns the readers to endpoints.
protocol AnswerReader: Sendable {
  /// Whether a successful answer is bytes without usage, for example sound. It is passed on as it
  /// comes. Its charge is the report of a reader that has read nothing.
  static var isOpaque: Bool { get }

  /// The separately priced quantities that an answer can report besides input and output.
  static var reportableDetails: Set<PricedQuantity> { get }

  /// - Parameter facts: The request's facts. In some formats they determine the charge.
  init(for facts: RequestFacts)

  /// The members that all formats share.
  var members: AnswerMembers { get set }

  /// Reads a whole answer, which is a JSON object. Call it through `meter(answer:)`.
  mutating func read(answer root: JSONValue)

  /// Reads a whole answer that isn't JSON; returns false if it should be.
  mutating func read(text: [UInt8]) -> Bool

  /// Reads an event of a stream, which is a JSON object. Call it through `meter(event:)`.
  mutating func read(event root: JSONValue) -> AnswerEvent

  /// The bytes of text in the last event, if a second reading would only count them again; nil if
  /// it would do more.
  var repeatableText: Int? { get }

  /// Counts an event that equals the last one, with `textBytes` bytes of text.
  mutating func repeatLastEvent(textBytes: Int)

  /// Returns the objects that were read since the last call. Once the client has received the
  /// events up to here, it may name them.
  mutating func takeMadeObjects() -> [MadeObject]

  /// Everything that was read so far.
  var report: UsageReport { get }

  /// Whether the answer has reported a failure. Equal to `report.isError`, but cheaper.
  var isError: Bool { get }
}

extension AnswerReader {
  /// Reads a whole answer, and notes whether it is ambiguous.
  mutating func meter(answer root: JSONValue) {
    if root.isAmbiguousAnswer { members.noteAmbiguous() }
    read(answer: root)
  }

  /// Reads an event of a stream, and notes whether it is ambiguous.
  mutating func meter(event root: JSONValue) -> AnswerEvent {
    if root.isAmbiguousAnswer { members.noteAmbiguous() }
    return read(event: root)
  }

  /// Notes that the answer, or one of its events, isn't as expected.
  mutating func noteUnreadable() {
    members.noteUnreadable()
  }

  static var isOpaque: Bool { false }

  static var reportableDetails: Set<PricedQuantity> { ReportedUsage.details }

  var isError: Bool { report.isError }

  /// By default, no event is known to be repeatable.
  var repeatableText: Int? { nil }

  mutating func repeatLastEvent(textBytes: Int) {
    preconditionFailure("no event of this format can be repeated")
  }

  /// The default for formats that are always JSON.
  mutating func read(text: [UInt8]) -> Bool { false }

  /// The default for formats whose answers make no objects.
  mutating func takeMadeObjects() -> [MadeObject] { [] }

  /// The default for formats without streams.
  mutating func read(event root: JSONValue) -> AnswerEvent {
    noteUnreadable()
    return .ordinary
  }
}

/// The kind of a stream's event, which decides whether it is passed on.
enum AnswerEvent: Hashable, Sendable {
  case ordinary
  /// The event exists only because usage was requested.
  case usageOnly
  /// The event has a `usage` of null because usage was requested.
  case emptyUsage
  /// The event ends the stream, as `[DONE]` does in other formats. It is withheld until the usage
  /// is recorded.
  case last

  /// A chunk of a stream whose usage comes in a separate chunk without choices.
  ///
  /// - Parameter usage: The kind of the member `usage`; nil if there is none.
  init(usage: JSONValue.Kind?, hasChoices: Bool) {
    switch usage {
    case .null: self = .emptyUsage
    case .object: self = hasChoices ? .ordinary : .usageOnly
    default: self = .ordinary
    }
  }
}

/// Recognizes later events of a stream that equal this one except for their text.
struct RepeatedEvent {
  private let pattern: JSONPattern
  private let removal: Range<Int>?

  /// The differences of an event that repeats this one.
  struct Repetition {
    let textBytes: Int
    /// The bytes to cut out of the event's data; nil for none.
    let removal: Range<Int>?
  }

  /// The members that differ between the events of an answer: its text; `obfuscation`, by which
  /// OpenAI hides the text's length; and the event's number in a response.
  private static let varying = JSONPattern.Keys(
    counted: ["content", "delta", "reasoning", "reasoning_content", "refusal", "arguments"],
    strings: ["obfuscation"], numbers: ["sequence_number"])

  /// Returns nil if the event has text outside these members, because the count for other text
  /// would then be unknown.
  ///
  /// - Parameters:
  ///   - root: An event that was just parsed and read.
  ///   - textBytes: The bytes of text that were counted for it.
  ///   - removal: The bytes that are cut out of its data.
  init?(_ root: JSONValue, textBytes: Int, removal: Range<Int>?) {
    guard
      let pattern = JSONPattern(
        of: root, varying: RepeatedEvent.varying, mark: removal?.lowerBound ?? 0),
      pattern.countedBytes == textBytes
    else { return nil }
    self.pattern = pattern
    self.removal = removal
  }

  /// Returns nil if `data` differs in any other member.
  func match(_ data: Span<UInt8>) -> Repetition? {
    guard let match = pattern.match(data) else { return nil }
    return Repetition(
      textBytes: match.countedBytes, removal: removal?.shifted(by: match.shift))
  }
}

extension Range<Int> {
  func shifted(by offset: Int) -> Range<Int> {
    lowerBound + offset..<upperBound + offset
  }
}
