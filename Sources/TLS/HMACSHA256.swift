internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104): proves that a message comes from a holder of the key.
public enum HMACSHA256 {
  /// Returns the code of `message` under `key`.
  public static func code(of message: [UInt8], key: [UInt8]) -> SHA256Digest {
    guard let keyLength = CInt(exactly: key.count) else {
      preconditionFailure("a key is shorter than two gigabytes")
    }
    var output = SIMD32<UInt8>()
    let isComputed = unsafe withUnsafeMutableBytes(of: &output) { output in
      unsafe key.withUnsafeBytes { key in
        unsafe message.withUnsafeBufferPointer { message in
          let code = unsafe HMAC(
            EVP_sha256(), key.baseAddress, keyLength, message.baseAddress, message.count,
            output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil)
          return unsafe code != nil
        }
      }
    }
    precondition(isComputed, "OpenSSL can't compute an HMAC")
    return SHA256Digest(bytes: output)
  }
}
