public import HTTP

/// Builds a response's head from the lines that libcurl delivers one by one.
///
/// Interim responses (1xx) arrive before the head and trailers after the body, through the same
/// callback. Both are dropped. Lines are checked more strictly than libcurl does, because they are
/// passed on to a client.
struct ResponseHeadReader: Sendable {
  /// The most bytes of all lines, including interim responses and trailers.
  static let maximumBytes = 256 << 10

  /// The initial capacity, enough for most responses.
  private static let usualFields = 24
  private static let usualBytes = 1 << 10

  private static let switchingProtocols = 101

  /// The lines don't form an HTTP response, or there are too many.
  struct Invalid: Error {}

  private enum State {
    case statusLine
    case fields(status: Int, UpstreamResponseHead.Version)
    case complete
  }

  private let allowsUpgrade: Bool
  private var state = State.statusLine
  private var fields = HeaderFields(
    fieldCapacity: Self.usualFields, byteCapacity: Self.usualBytes)
  private var byteCount = 0

  /// - Parameter allowsUpgrade: Whether the request asked for another protocol.
  init(allowsUpgrade: Bool = false) {
    self.allowsUpgrade = allowsUpgrade
  }

  /// Reads one line with its end. Returns the head after the empty line that completes it; nil
  /// before.
  mutating func read(line: Span<UInt8>) throws(Invalid) -> UpstreamResponseHead? {
    byteCount += line.count
    guard byteCount <= Self.maximumBytes else { throw Invalid() }
    switch state {
    case .statusLine:
      let (status, version) = try Self.statusLine(line)
      // An upgrade without a request for it is invalid.
      guard status != Self.switchingProtocols || allowsUpgrade else { throw Invalid() }
      state = .fields(status: status, version)
      return nil
    case .fields(let status, let version):
      guard Self.isEmpty(line) else {
        do { try fields.append(line: line) } catch { throw Invalid() }
        return nil
      }
      // With several lengths, libcurl and the client might use different ones.
      do { _ = try BodyFraming.contentLength(of: fields) } catch { throw Invalid() }
      let head = UpstreamResponseHead(status: status, version: version, fields: fields)
      fields = HeaderFields()
      let isInterim = status < 200 && status != Self.switchingProtocols
      state = isInterim ? .statusLine : .complete
      return isInterim ? nil : head
    case .complete:
      return nil
    }
  }

  private static func isEmpty(_ line: Span<UInt8>) -> Bool {
    line.count == 2 && line[0] == UInt8(ascii: "\r") && line[1] == UInt8(ascii: "\n")
  }

  /// Parses `HTTP/1.1 200 OK`; the reason may be missing.
  private static func statusLine(
    _ line: Span<UInt8>
  ) throws(Invalid) -> (status: Int, UpstreamResponseHead.Version) {
    for (prefix, version) in prefixes where starts(line, with: prefix) {
      var status = 0
      let start = prefix.utf8CodeUnitCount
      guard line.count > start + 3 else { throw Invalid() }
      for index in start..<start + 3 {
        let digit = line[index] &- UInt8(ascii: "0")
        guard digit < 10 else { throw Invalid() }
        status = status * 10 + Int(digit)
      }
      let next = line[start + 3]
      guard next == UInt8(ascii: " ") || next == UInt8(ascii: "\r") else { throw Invalid() }
      guard status >= 100 else { throw Invalid() }
      return (status, version)
    }
    throw Invalid()
  }

  private static let prefixes: [(StaticString, UpstreamResponseHead.Version)] = [
    ("HTTP/1.1 ", .http11), ("HTTP/2 ", .http2), ("HTTP/1.0 ", .http10),
  ]

  private static func starts(_ line: Span<UInt8>, with prefix: StaticString) -> Bool {
    prefix.withUTF8Buffer { prefix in
      guard line.count >= prefix.count else { return false }
      for index in prefix.indices where unsafe prefix[index] != line[index] { return false }
      return true
    }
  }
}

/// A response without its body.
public struct UpstreamResponseHead: Sendable {
  /// The provider's protocol version.
  public enum Version: Hashable, Sendable {
    case http10
    case http11
    case http2
  }

  /// 200…999, or 101 if the request asked for an upgrade.
  public let status: Int
  public let version: Version
  /// The fields in their order, including hop-by-hop fields. The body is delivered without its
  /// transfer coding (chunks), but with its content coding.
  public let fields: HeaderFields

  public init(status: Int, version: Version, fields: HeaderFields) {
    self.status = status
    self.version = version
    self.fields = fields
  }
}
