internal import COpenSSL

/// Randomness for secrets.
public enum SecureRandom {
  /// `count` bytes that nobody can guess.
  public static func bytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      let status = unsafe RAND_bytes(buffer.baseAddress, CInt(count))
      // Going on without randomness would hand out keys that can be guessed.
      precondition(status == 1, "OpenSSL has no randomness")
      initializedCount = count
    }
  }
}
