internal import CCurl

/// The TLS sessions that the handles of one event loop resume, whichever of them began one. Each by
/// itself would have room for five, and begin anew with every provider.
///
/// Nothing is locked: all of it belongs to the loop's thread.
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
