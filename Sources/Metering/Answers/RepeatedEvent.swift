import JSON

/// An event of a stream by which others are recognized that are the same but for their text.
struct RepeatedEvent {
  private let pattern: JSONPattern
  private let removal: Range<Int>?

  /// What an event has that repeats this one.
  struct Repetition {
    let textBytes: Int
    /// What is cut out of its data.
    let removal: Range<Int>?
  }

  /// The members in which the events of an answer differ: its text; `obfuscation`, with which
  /// OpenAI hides how long the text is; and the number of an event in a response.
  private static let varying = JSONPattern.Keys(
    counted: ["content", "delta", "reasoning", "reasoning_content", "refusal", "arguments"],
    strings: ["obfuscation"], numbers: ["sequence_number"])

  /// Nil where the event's text isn't all in those members: then it is not known what another text
  /// would count.
  ///
  /// - Parameters:
  ///   - root: an event that was just parsed and read.
  ///   - textBytes: what was counted of it.
  ///   - removal: what is cut out of its data.
  init?(_ root: JSONValue, textBytes: Int, removal: Range<Int>?) {
    guard
      let pattern = JSONPattern(
        of: root, varying: RepeatedEvent.varying, mark: removal?.lowerBound ?? 0),
      pattern.countedBytes == textBytes
    else { return nil }
    self.pattern = pattern
    self.removal = removal
  }

  /// Nil if `data` differs in anything else.
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
