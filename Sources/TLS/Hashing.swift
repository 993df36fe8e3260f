internal import COpenSSL

/// SHA-256, the form in which virtual keys and tokens are stored.
public enum SHA256 {
  /// Returns the digest of `bytes`.
  public static func digest(of bytes: UnsafeRawBufferPointer) -> SHA256Digest {
    var output = SIMD32<UInt8>()
    let status = unsafe withUnsafeMutableBytes(of: &output) { output in
      unsafe EVP_Digest(
        bytes.baseAddress, bytes.count, output.baseAddress, nil, algorithm.handle, nil)
    }
    precondition(status == 1, "OpenSSL can't compute SHA-256")
    return SHA256Digest(bytes: output)
  }

  /// Returns the digest of `bytes`.
  public static func digest(of bytes: [UInt8]) -> SHA256Digest {
    unsafe bytes.withUnsafeBytes { unsafe digest(of: $0) }
  }

  /// Returns the digest of the UTF-8 bytes of `text`.
  public static func digest(of text: String) -> SHA256Digest {
    var text = text
    return text.withUTF8 { unsafe digest(of: UnsafeRawBufferPointer($0)) }
  }

  /// The algorithm, looked up once: OpenSSL 3 searches its providers on every use of an algorithm
  /// by name.
  @safe private final class Algorithm: @unchecked Sendable {
    // Sendable, because an EVP_MD never changes after it was fetched.
    let handle: OpaquePointer

    init() {
      guard let handle = unsafe EVP_MD_fetch(nil, "SHA256", nil) else {
        preconditionFailure("OpenSSL has no SHA-256")
      }
      unsafe self.handle = unsafe handle
    }
  }

  private static let algorithm = Algorithm()
}

/// The 32 bytes of a SHA-256.
public struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  public static let byteCount = 32

  private let bytes: SIMD32<UInt8>

  init(bytes: SIMD32<UInt8>) {
    self.bytes = bytes
  }

  /// Parses 64 hexadecimal digits of either case; nil for any other text.
  public init?(hex: some StringProtocol) {
    let digits = Array(hex.utf8)
    guard digits.count == 2 * SHA256Digest.byteCount else { return nil }
    var bytes = SIMD32<UInt8>()
    for index in 0..<SHA256Digest.byteCount {
      guard let high = SHA256Digest.value(ofDigit: digits[2 * index]),
        let low = SHA256Digest.value(ofDigit: digits[2 * index + 1])
      else { return nil }
      bytes[index] = high << 4 | low
    }
    self.bytes = bytes
  }

  /// 64 hexadecimal digits in lower case.
  public var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(2 * SHA256Digest.byteCount)
    for index in 0..<SHA256Digest.byteCount {
      text.append(digits[Int(bytes[index] >> 4)])
      text.append(digits[Int(bytes[index] & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  public var description: String { hex }

  /// The bytes as four numbers; the first byte is the highest of the first number.
  public var words: (UInt64, UInt64, UInt64, UInt64) {
    (word(at: 0), word(at: 8), word(at: 16), word(at: 24))
  }

  private func word(at start: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in start..<(start + 8) { word = word << 8 | UInt64(bytes[index]) }
    return word
  }

  /// Compares in constant time, for digests that grant access. The duration doesn't show how many
  /// bytes are equal.
  public func isEqualInConstantTime(to other: SHA256Digest) -> Bool {
    (bytes ^ other.bytes).max() == 0
  }

  private static func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

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
