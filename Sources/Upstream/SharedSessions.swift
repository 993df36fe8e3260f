internal import CCurl

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
