/// Finds the lines of a message's head, each of which ends in CRLF, in bytes that arrive in pieces.
///
/// It remembers its position, so that each byte is examined once, whatever the number of reads. It
/// throws on a bare CR, a bare LF and any control character except the tab. RFC 9112 2.2 allows a
/// server to accept a bare LF as the end of a line. This one doesn't, because two readers that
/// differ there can see different messages.
struct LineScanner: Sendable {
  /// The position up to which all bytes belong to lines without control characters.
  private var position = 0

  /// Returns the index of the CR that ends the next line; nil if it hasn't arrived.
  mutating func nextLineEnd(in bytes: Span<UInt8>) throws(HTTPError) -> Int? {
    guard let control = ControlBytes.firstIndex(in: bytes, from: position) else {
      position = bytes.count
      return nil
    }
    switch bytes[control] {
    case ASCII.carriageReturn: break
    case ASCII.lineFeed: throw .invalidLineEnding
    default: throw .controlCharacter
    }
    guard control + 1 < bytes.count else {
      position = control
      return nil
    }
    guard bytes[control + 1] == ASCII.lineFeed else { throw .invalidLineEnding }
    position = control + 2
    return control
  }
}
