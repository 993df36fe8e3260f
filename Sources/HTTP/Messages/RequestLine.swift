/// The first line of a request (RFC 9112 3): method, target and version, with one space between
/// each.
struct RequestLine: Sendable {
  let method: Method
  let target: RequestTarget
  let version: Version

  /// Parses a line without its CRLF.
  init(_ line: Span<UInt8>, maximumTargetBytes: Int) throws(HTTPError) {
    guard let methodEnd = line.firstIndex(of: ASCII.space, in: line.indices),
      let targetEnd = line.firstIndex(of: ASCII.space, in: methodEnd + 1..<line.count)
    else { throw .malformedRequestLine }
    // The version is read first, because the meaning of the rest depends on it.
    version = try Version(line.extracting(targetEnd + 1..<line.count))
    method = try Method(String(line.extracting(0..<methodEnd)))
    let target = line.extracting(methodEnd + 1..<targetEnd)
    guard target.count <= maximumTargetBytes else { throw .targetTooLong }
    self.target = try RequestTarget(target, method: method)
  }
}
