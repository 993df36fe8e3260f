internal import CCurl

/// Owns a URL that libcurl has parsed, so that a transfer needn't parse it again. Parsing and
/// writing it would take half as long as all that the transfer sends.
@safe final class ParsedURL {
  let pointer: OpaquePointer

  /// The flags for parsing, which are those of `EasyHandle`'s URLs.
  private static let flags = UInt32(
    CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER | CURLU_PATH_AS_IS)

  /// Returns nil for a URL that libcurl refuses.
  init?(_ text: String) {
    guard let pointer = unsafe curl_url() else { preconditionFailure("out of memory") }
    guard unsafe curl_url_set(pointer, CURLUPART_URL, text, ParsedURL.flags) == CURLUE_OK else {
      unsafe curl_url_cleanup(pointer)
      return nil
    }
    unsafe self.pointer = pointer
  }

  deinit {
    unsafe curl_url_cleanup(pointer)
  }
}
