/// A model name in which each `*` stands for any text, including none.
public struct ModelPattern: Hashable, Sendable, CustomStringConvertible {
  private let pattern: [UInt8]

  /// The longest pattern, in bytes.
  public static let longest = 256

  /// Returns nil if `text` is empty, too long, or has characters that no model name has.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (1...Self.longest).contains(bytes.count),
      bytes.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    pattern = bytes
  }

  public var description: String { String(decoding: pattern, as: UTF8.self) }

  /// Whether the whole name matches. Case matters.
  ///
  /// Takes at most pattern × model steps, because a mismatch retries only the last star.
  public func matches(_ model: String) -> Bool {
    let model = model.utf8
    var inPattern = 0
    var inModel = model.startIndex
    var afterStar: Int?
    var retry = model.startIndex
    while inModel != model.endIndex {
      if inPattern < pattern.count, pattern[inPattern] == UInt8(ascii: "*") {
        inPattern += 1
        afterStar = inPattern
        retry = inModel
      } else if inPattern < pattern.count, pattern[inPattern] == model[inModel] {
        inPattern += 1
        inModel = model.index(after: inModel)
      } else if let star = afterStar {
        retry = model.index(after: retry)
        inPattern = star
        inModel = retry
      } else {
        return false
      }
    }
    return pattern[inPattern...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

extension ValueFormat<ModelPattern> {
  static var modelPattern: ValueFormat {
    .scalar(.modelPattern)
  }
}
