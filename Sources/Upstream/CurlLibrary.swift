internal import CCurl

/// Initializes libcurl once for the process.
enum CurlLibrary {
  private static let status = curl_global_init(Int(CURL_GLOBAL_ALL))

  /// Initializes libcurl before any other call. Stops the process if libcurl can't work at all, or
  /// if it would block the event loop while it resolves names.
  static func initialize() {
    precondition(status == CURLE_OK, "libcurl can't be initialized")
    precondition(resolvesInBackground, "libcurl was built without asynchronous name resolution")
  }

  private static let resolvesInBackground: Bool = {
    guard let information = unsafe curl_version_info(CURLVERSION_FIRST) else { return false }
    return unsafe information.pointee.features & CURL_VERSION_ASYNCHDNS != 0
  }()
}

/// The TLS sessions that all handles of one event loop share. A single handle would store five
/// sessions, and start a new one with every provider.
///
/// No lock is needed, because only the loop's thread uses them.
@safe final class SharedSessions {
  let pointer: UnsafeMutableRawPointer

  init() {
    guard let pointer = unsafe curl_share_init() else { preconditionFailure("out of memory") }
    unsafe self.pointer = pointer
    let status = unsafe catraca_curl_share(pointer, CURL_LOCK_DATA_SSL_SESSION)
    precondition(status == CURLSHE_OK, "libcurl refused to share sessions")
  }

  deinit {
    unsafe curl_share_cleanup(pointer)
  }
}
