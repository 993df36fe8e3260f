internal import Glibc

/// The kernel's randomness, fetched for many ids at once: a system call for each would be seen.
struct RandomPool: RandomNumberGenerator, Sendable {
  private var words: [UInt64] = []

  /// 256 bytes, the most that `getentropy` gives.
  private static let wordsPerFetch = 32

  mutating func next() -> UInt64 {
    if let word = words.popLast() { return word }
    fetch()
    return words.removeLast()
  }

  private mutating func fetch() {
    words = [UInt64](repeating: 0, count: RandomPool.wordsPerFetch)
    // So many bytes come whole or not at all, and not at all only where there is no generator.
    let status = unsafe words.withUnsafeMutableBytes { bytes -> CInt in
      guard let start = bytes.baseAddress else { return -1 }
      return unsafe getentropy(start, bytes.count)
    }
    precondition(status == 0, "the kernel has no randomness")
  }
}
