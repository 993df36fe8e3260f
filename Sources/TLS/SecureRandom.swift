internal import COpenSSL

/// Random bytes for secrets.
public enum SecureRandom {
  /// Returns `count` unpredictable bytes.
  public static func bytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      let status = unsafe RAND_bytes(buffer.baseAddress, CInt(count))
      // Without randomness, generated keys would be predictable, so the process stops.
      precondition(status == 1, "OpenSSL has no randomness")
      initializedCount = count
    }
  }
}
