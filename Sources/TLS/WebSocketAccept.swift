internal import COpenSSL

/// The server's proof that it supports WebSocket (RFC 6455, 4.2.2).
public enum WebSocketAccept {
  private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
  private static let digestBytes = 20
  private static let base64Bytes = 28

  /// Returns the value of `Sec-WebSocket-Accept` for a client's key.
  public static func value(for key: String) -> String {
    let input = Array((key + suffix).utf8)
    let digest = unsafe [UInt8](unsafeUninitializedCapacity: digestBytes) { digest, count in
      let status = unsafe input.withUnsafeBytes { input in
        unsafe EVP_Digest(
          input.baseAddress, input.count, digest.baseAddress, nil, EVP_sha1(), nil)
      }
      precondition(status == 1, "OpenSSL can't compute SHA-1")
      count = digestBytes
    }
    // The additional byte is for the zero that OpenSSL writes at the end.
    let text = unsafe [UInt8](unsafeUninitializedCapacity: base64Bytes + 1) { text, count in
      count = Int(unsafe EVP_EncodeBlock(text.baseAddress, digest, CInt(digestBytes)))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
