internal import CCurl

/// Owns a URL as libcurl has read it, so that a transfer needn't read it again: that, and writing
/// it down once more, would take as long as half of what it sends.
@safe final class ParsedURL {
  let pointer: OpaquePointer

  /// What libcurl reads the URLs of our handles with.
  private static let flags = UInt32(
    CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_DISALLOW_USER | CURLU_PATH_AS_IS)

  /// Nil for a URL that libcurl refuses.
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
