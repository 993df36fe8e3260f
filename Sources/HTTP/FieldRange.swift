/// Where one field's name and value lie in the bytes that hold them all.
///
/// 32 bits reach further than any head may be long, and make a field 16 bytes.
struct FieldRange: Sendable {
  private let nameStart: UInt32
  private let nameEnd: UInt32
  private let valueStart: UInt32
  private let valueEnd: UInt32

  init(name: Range<Int>, value: Range<Int>) {
    nameStart = UInt32(name.lowerBound)
    nameEnd = UInt32(name.upperBound)
    valueStart = UInt32(value.lowerBound)
    valueEnd = UInt32(value.upperBound)
  }

  /// Reads `name: value` (RFC 9112 5), a line without control characters and without its CRLF.
  ///
  /// A space before the colon makes the name no token and is refused, as is a line that continues
  /// the one before it (obs-fold).
  init(line: Range<Int>, of bytes: Span<UInt8>) throws(HTTPError) {
    guard let first = line.first, !bytes[first].isOptionalWhitespace else { throw .foldedField }
    let token = ByteSet.token
    var nameEnd = line.lowerBound
    while nameEnd < line.upperBound, token.contains(bytes[nameEnd]) {
      nameEnd += 1
    }
    guard nameEnd > line.lowerBound, nameEnd < line.upperBound, bytes[nameEnd] == ASCII.colon
    else { throw .invalidFieldName }
    self.init(
      name: line.lowerBound..<nameEnd,
      value: bytes.trimmingWhitespace(nameEnd + 1..<line.upperBound))
  }

  var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
  var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
}
