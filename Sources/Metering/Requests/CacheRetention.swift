internal import Glibc

/// How long a provider is asked to keep what it reads in its cache of prompts. Half an hour is the
/// usual, and twelve hours are dearer to write.
enum CacheRetention {
  /// Whether a request's body may ask for twelve hours. `ttl` can stand at the request and at any
  /// part of its input, so the bytes are searched and no place is missed.
  ///
  /// An escape could hide the value: a body with one of a plain character counts as if it had it,
  /// which only holds more.
  ///
  /// Example: `"prompt_cache_options":{"ttl":"30m"}` holds input at 1.25 times its price, and
  /// `{"ttl":"12h"}` at twice.
  static func mayBeLong(in body: [UInt8]) -> Bool {
    body.withUnsafeBytes { bytes in
      contains("12h", "2", at: 1, bytes) || contains(#"\u00"#, "\\", at: 0, bytes)
    }
  }

  /// - Parameter place: where in `text` the character stands by which it is looked for.
  private static func contains(
    _ text: StaticString, _ character: Unicode.Scalar, at place: Int,
    _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    var next = 0
    while next < bytes.count,
      let found = memchr(start + next, Int32(character.value), bytes.count - next)
    {
      let index = start.distance(to: UnsafeRawPointer(found))
      let begin = index - place
      if begin >= 0, begin + text.utf8CodeUnitCount <= bytes.count,
        memcmp(start + begin, text.utf8Start, text.utf8CodeUnitCount) == 0
      {
        return true
      }
      next = index + 1
    }
    return false
  }
}
