/// How the end of a request's body is found (RFC 9112 6.3).
///
/// Whatever two readers could understand differently is refused, not repaired: a proxy that sees
/// another end than its neighbour lets a second request slip through.
public enum BodyFraming: Hashable, Sendable {
  /// No body.
  case none
  /// As many bytes as `Content-Length` says; may be 0.
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

  /// Throws `conflictingFraming` when both fields are there, `repeatedContentLength` (equal ones
  /// too), `invalidContentLength`, `unsupportedTransferEncoding` for anything but one `chunked`,
  /// and `transferEncodingBeforeHTTP11`.
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

  /// What the one `Content-Length` says, of a request or a response; nil where there is none.
  ///
  /// Digits only: `Int64("+5")` would be 5, and another reader's 0. Throws `repeatedContentLength`
  /// and `invalidContentLength`.
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
