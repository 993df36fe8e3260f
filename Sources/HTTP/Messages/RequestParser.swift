/// Reads the heads of the requests of one connection, one after the other.
///
/// It owns no bytes: the caller keeps what it has read and not yet consumed, and hands over all of
/// it each time. The parser remembers how far it has come, so each byte is looked at once however
/// the reads are cut, and a bad line is refused as soon as it is complete. After a head it is ready
/// for the next one; after an error it only repeats the error.
///
/// Stricter than RFC 9112 has to be where leniency has let requests be smuggled: lines end in CRLF
/// only; nothing but one empty line may precede a request; no folded fields; see `BodyFraming` and
/// `RequestTarget` for the rest.
public struct RequestParser: Sendable {
  public enum Progress: Equatable, Sendable {
    /// The head isn't complete; call again with the same bytes and more.
    case needsMore
    /// A head, and how many of the bytes were its own; the body or the next head follows them.
    case head(RequestHead, consumed: Int)
  }

  /// Room for the fields that clients usually send, so that the ranges are allocated once.
  private static let expectedFields = 16

  private let limits: RequestLimits
  private var scanner = LineScanner()
  private var lineStart = 0
  private var requestLine: RequestLine?
  private var ranges: [FieldRange] = []
  private var failure: HTTPError?

  public init(limits: RequestLimits = RequestLimits()) {
    self.limits = limits
  }

  /// Reads on in `unread`: all bytes of the connection that aren't consumed yet.
  ///
  /// Throws what makes the head unacceptable. A head of exactly the limits passes.
  public mutating func parse(_ unread: Span<UInt8>) throws(HTTPError) -> Progress {
    if let failure { throw failure }
    do throws(HTTPError) {
      return try advance(unread)
    } catch {
      failure = error
      throw error
    }
  }

  private mutating func advance(_ unread: Span<UInt8>) throws(HTTPError) -> Progress {
    // What lies behind the limit must not matter, or the result would depend on how reads are cut.
    let window = unread.extracting(first: limits.headBytes)
    while let lineEnd = try scanner.nextLineEnd(in: window) {
      let line = lineStart..<lineEnd
      lineStart = lineEnd + 2
      if requestLine == nil {
        try startRequest(line, of: window)
      } else if line.isEmpty {
        return try finish(window.extracting(0..<lineStart))
      } else {
        guard ranges.count < limits.fields else { throw .tooManyFields }
        ranges.append(try FieldRange(line: line, of: window))
      }
    }
    guard window.count < limits.headBytes else { throw .headerTooLarge }
    return .needsMore
  }

  private mutating func startRequest(
    _ line: Range<Int>, of window: Span<UInt8>
  ) throws(HTTPError) {
    // Some clients end a body with a line end too many (RFC 9112 2.2).
    if line == 0..<0 { return }
    requestLine = try RequestLine(
      window.extracting(line), maximumTargetBytes: limits.targetBytes)
    ranges.reserveCapacity(Self.expectedFields)
  }

  private mutating func finish(_ head: Span<UInt8>) throws(HTTPError) -> Progress {
    guard let line = requestLine else { preconditionFailure("fields follow a request line") }
    let storage = unsafe head.withUnsafeBufferPointer { unsafe Array($0) }
    let fields = HeaderFields(storage: storage, ranges: ranges)
    let requestHead = try RequestHead(
      method: line.method, target: line.target, version: line.version, fields: fields)
    self = RequestParser(limits: limits)
    return .head(requestHead, consumed: head.count)
  }
}
