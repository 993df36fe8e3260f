/// The positions of one field's name and value in the array of all fields.
///
/// 32 bits suffice for any allowed head, and make a field 16 bytes.
struct FieldRange: Sendable {
  private let nameOffset: UInt32
  private let nameLength: UInt32
  private let valueOffset: UInt32
  private let valueLength: UInt32

  init(name: Range<Int>, value: Range<Int>) {
    nameOffset = UInt32(name.lowerBound)
    nameLength = UInt32(name.count)
    valueOffset = UInt32(value.lowerBound)
    valueLength = UInt32(value.count)
  }

  /// Parses `name: value` (RFC 9112 5), a line without control characters and without its CRLF.
  ///
  /// A space before the colon is refused, because the name is then no token. A line that continues
  /// the previous one (obs-fold) is refused too.
  init(line: Range<Int>, of bytes: Span<UInt8>) throws(HTTPError) {
    let text = bytes.extracting(line)
    guard !text.isEmpty, !text[0].isOptionalWhitespace else { throw .foldedField }
    let count = ByteSet.token.prefixCount(of: text)
    guard count > 0, count < text.count, text[count] == ASCII.colon else {
      throw .invalidFieldName
    }
    let nameEnd = line.lowerBound + count
    self.init(
      name: line.lowerBound..<nameEnd,
      value: bytes.trimmingWhitespace(nameEnd + 1..<line.upperBound))
  }

  var nameCount: Int { Int(nameLength) }
  var name: Range<Int> { Int(nameOffset)..<Int(nameOffset) + nameCount }
  var value: Range<Int> { Int(valueOffset)..<Int(valueOffset) + Int(valueLength) }
}
