/// The rule for the end of a request's body (RFC 9112 6.3).
///
/// Anything that two readers could understand differently is refused and not repaired: if a proxy
/// and its neighbor see different ends, a second request can be smuggled through.
public enum BodyFraming: Hashable, Sendable {
  /// No body.
  case none
  /// The number of bytes in `Content-Length`; may be 0.
  case sized(Int64)
  /// In chunks, read with `ChunkedDecoder`.
  case chunked

  /// Whether at least one byte of content can follow.
  public var hasContent: Bool {
    switch self {
    case .none, .sized(0): false
    case .sized, .chunked: true
    }
  }

  /// Creates the framing from a request's fields.
  /// - Throws: `HTTPError.conflictingFraming` if both fields exist; `repeatedContentLength`, even
  ///   for equal values; `invalidContentLength`; `unsupportedTransferEncoding` for anything except
  ///   one `chunked`; `transferEncodingBeforeHTTP11`.
  init(of fields: HeaderFields, version: Version) throws(HTTPError) {
    let encodings = fields.count(of: .transferEncoding)
    switch (fields.contains(.contentLength), encodings) {
    case (_, 0): self = try Self.contentLength(of: fields).map { .sized($0) } ?? .none
    case (false, _):
      guard version == .http11 else { throw .transferEncodingBeforeHTTP11 }
      let isChunked = fields.withFirst(.transferEncoding) { $0.equalsIgnoringCase("chunked") }
      guard encodings == 1, isChunked == true else { throw .unsupportedTransferEncoding }
      self = .chunked
    default: throw .conflictingFraming
    }
  }

  /// Returns the value of the only `Content-Length`, of a request or a response; nil if there is
  /// none.
  ///
  /// Only digits are accepted: `Int64("+5")` would be 5, and another reader might see 0.
  /// - Throws: `HTTPError.repeatedContentLength` or `HTTPError.invalidContentLength`.
  public static func contentLength(of fields: HeaderFields) throws(HTTPError) -> Int64? {
    let count = fields.count(of: .contentLength)
    guard count > 0 else { return nil }
    guard count == 1 else { throw .repeatedContentLength }
    let length = fields.withFirst(.contentLength) { value -> Int64? in
      var length: Int64 = 0
      for index in value.indices {
        guard let digit = value[index].decimalDigit else { return nil }
        let (product, overflow) = length.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(Int64(digit))
        guard !overflow, !carry else { return nil }
        length = sum
      }
      return value.isEmpty ? nil : length
    }
    guard let length = length ?? nil else { throw .invalidContentLength }
    return length
  }
}
