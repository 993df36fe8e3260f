/// Reads the heads of a connection's requests, one after the other.
///
/// It owns no bytes. The caller keeps the bytes that aren't consumed yet, and passes all of them
/// each time. The parser remembers its position, so each byte is examined once, however the reads
/// are split, and a bad line is refused as soon as it is complete. After a head, the parser is
/// ready for the next one. After an error, it only repeats the error.
///
/// It is stricter than RFC 9112 where leniency has allowed request smuggling: lines end only in
/// CRLF, at most one empty line may precede a request, and fields can't be folded. See
/// `BodyFraming` and `RequestTarget` for the rest.
public struct RequestParser: Sendable {
  public enum Progress: Equatable, Sendable {
    /// The head isn't complete. Call again with the same bytes and more.
    case needsMore
    /// A head, with the number of its bytes. The body or the next head follows them.
    case head(RequestHead, consumed: Int)
  }

  /// The usual number of fields, for which the ranges are allocated once.
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

  /// Continues to parse `unread`: all bytes of the connection that aren't consumed yet.
  ///
  /// - Throws: `HTTPError`, the reason that the head isn't acceptable. A head of exactly the limits
  ///   is accepted.
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
    // Bytes beyond the limit must not matter, or the result would depend on how reads are split.
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
    // Some clients send an additional line end after a body (RFC 9112 2.2).
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
