import JSON

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
