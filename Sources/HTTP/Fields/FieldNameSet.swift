/// Names with which a field is compared at once: whole names, prefixes and suffixes.
///
/// Most names outside the set are recognized by their length and a few of their bytes.
public struct FieldNameSet: Sendable {
  /// The whole names, by length.
  private let names: [[FieldName]]
  /// The last bytes of the names, by length.
  private let lastBytes: [ByteMarks]
  private let beginnings: [FieldName]
  /// The first and the third bytes of `beginnings`.
  private let (firstBytes, thirdBytes): (ByteMarks, ByteMarks)
  private let endings: [FieldName]
  private let endingBytes: ByteMarks

  /// - Parameter names: The names, each with fewer than 64 bytes.
  public init(_ names: FieldName...) {
    self.init(names)
  }

  /// - Parameters:
  ///   - names: The names, each with fewer than 64 bytes.
  ///   - beginnings: Prefixes of at least 3 bytes. A matching name must be longer than the prefix.
  ///   - endings: Suffixes. A matching name may equal a suffix.
  public init(_ names: [FieldName], beginnings: [FieldName] = [], endings: [FieldName] = []) {
    let longest = names.reduce(0) { max($0, $1.bytes.count) }
    precondition(longest < 64, "no field has a name of \(longest) bytes")
    precondition(
      beginnings.allSatisfy { $0.bytes.count >= 3 }, "a beginning has at least 3 bytes")
    self.names = (0...longest).map { length in names.filter { $0.bytes.count == length } }
    lastBytes = self.names.map { ByteMarks($0.compactMap(\.bytes.last)) }
    self.beginnings = beginnings
    firstBytes = ByteMarks(beginnings.map { $0.bytes[0] })
    thirdBytes = ByteMarks(beginnings.map { $0.bytes[2] })
    self.endings = endings
    endingBytes = ByteMarks(endings.compactMap(\.bytes.last))
  }

  /// Whether the name, in any case, is in the set, or has one of its prefixes or suffixes.
  public func contains(_ name: Span<UInt8>) -> Bool {
    let count = name.count
    guard count > 0 else { return false }
    let last = name[count - 1]
    if count < names.count, lastBytes[count].mayContain(last),
      names[count].contains(where: { $0.matches(name) })
    {
      return true
    }
    if count > 3, firstBytes.mayContain(name[0]), thirdBytes.mayContain(name[2]),
      beginnings.contains(where: { $0.isBeginning(of: name) })
    {
      return true
    }
    return endingBytes.mayContain(last) && endings.contains { $0.isEnding(of: name) }
  }
}

/// A set of bytes that ignores their upper three bits, and thereby the case of letters.
private struct ByteMarks: Sendable {
  private var bits: UInt32 = 0

  init(_ bytes: [UInt8]) {
    for byte in bytes { bits |= ByteMarks.mark(of: byte) }
  }

  func mayContain(_ byte: UInt8) -> Bool {
    bits & ByteMarks.mark(of: byte) != 0
  }

  private static func mark(of byte: UInt8) -> UInt32 {
    1 &<< UInt32(byte & 31)
  }
}

extension FieldName {
  fileprivate func isBeginning(of name: Span<UInt8>) -> Bool {
    name.count > bytes.count
      && name.extracting(0..<bytes.count).equalsIgnoringCase(bytes.span)
  }

  fileprivate func isEnding(of name: Span<UInt8>) -> Bool {
    name.count >= bytes.count
      && name.extracting((name.count - bytes.count)..<name.count).equalsIgnoringCase(bytes.span)
  }
}
