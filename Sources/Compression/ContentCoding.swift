/// A coding in `Content-Encoding` that Catraca can decode.
public enum ContentCoding: String, Hashable, Sendable, CaseIterable {
  case gzip
  /// zlib's format (RFC 1950), or the bare format (RFC 1951) that some servers send under this
  /// name.
  case deflate
  case brotli = "br"
  case zstd

  /// - Parameter name: The name in a header field, in any case. `x-gzip` is the old name of `gzip`.
  public init?(name: String) {
    let name = name.lowercased()
    self.init(rawValue: name == "x-gzip" ? "gzip" : name)
  }
}

/// The reason that a body can't be decoded.
public enum DecodingError: Error, Hashable, Sendable {
  /// The bytes aren't valid for the coding, or bytes follow its end.
  case malformed
  /// The bytes end before the coded data ends.
  case truncated
  /// The decoded body has more than `limit` bytes.
  case tooLarge(limit: Int)
  /// The decoded body is more than `ContentDecoder.largestRatio` times as large as the received
  /// bytes.
  case tooDense
}
