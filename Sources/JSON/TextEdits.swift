/// Replacements of byte ranges in a text. All bytes between them stay as they are.
public struct TextEdits: Hashable, Sendable {
  private var replacements: [Replacement] = []

  private struct Replacement: Hashable, Sendable {
    let range: Range<Int>
    let bytes: [UInt8]
  }

  public init() {}

  public var isEmpty: Bool { replacements.isEmpty }

  /// Plans to replace a range with `text`. The range may be empty, but ranges must not overlap. Of
  /// two insertions at one offset, the one planned earlier comes first.
  public mutating func replace(_ range: Range<Int>, with text: String) {
    let replacement = Replacement(range: range, bytes: Array(text.utf8))
    // Most are planned in the order of the text.
    if replacements.last.map({ $0.range.lowerBound <= range.lowerBound }) ?? true {
      return replacements.append(replacement)
    }
    let place = replacements.firstIndex { $0.range.lowerBound > range.lowerBound }
    replacements.insert(replacement, at: place ?? replacements.endIndex)
  }

  /// The text with all replacements made.
  public func applied(to text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(replacements.reduce(text.count) { $0 + $1.bytes.count })
    var position = 0
    for replacement in replacements {
      precondition(replacement.range.lowerBound >= position, "edits of a text overlap")
      result.append(contentsOf: text[position..<replacement.range.lowerBound])
      result.append(contentsOf: replacement.bytes)
      position = replacement.range.upperBound
    }
    result.append(contentsOf: text[position...])
    return result
  }
}
