/// A coding that `Content-Encoding` names and that Catraca can undo.
public enum ContentCoding: String, Hashable, Sendable, CaseIterable {
  case gzip
  /// zlib's format (RFC 1950), or the bare one (RFC 1951) that some servers send under this name.
  case deflate
  case brotli = "br"
  case zstd

  /// - Parameter name: as a header field has it, in any case. `x-gzip` is the old name of `gzip`.
  public init?(name: String) {
    let name = name.lowercased()
    self.init(rawValue: name == "x-gzip" ? "gzip" : name)
  }
}

/// Why a body can't be decoded.
public enum DecodingError: Error, Hashable, Sendable {
  /// The bytes aren't what the coding makes, or something follows their end.
  case malformed
  /// The bytes end before the coding's own end.
  case truncated
  /// The decoded body has more than `limit` bytes.
  case tooLarge(limit: Int)
  /// The decoded body is more than `ContentDecoder.largestRatio` times as large as the bytes.
  case tooDense
}
