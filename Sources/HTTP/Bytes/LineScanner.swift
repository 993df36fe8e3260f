/// Finds the lines of a message's head, each ended by CRLF, in bytes that arrive piecemeal.
///
/// It remembers how far it has looked, so that no byte is looked at twice however many reads a head
/// takes. A bare CR, a bare LF (RFC 9112 2.2 lets a server take one as the end of a line; not this
/// one, since two readers who differ there can be led to different messages) and any control
/// character but the tab end it.
struct LineScanner: Sendable {
  /// All bytes before it belong to lines without control characters.
  private var position = 0

  /// The index of the CR that ends the next line, or nil when it hasn't arrived.
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
