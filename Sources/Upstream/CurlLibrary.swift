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
