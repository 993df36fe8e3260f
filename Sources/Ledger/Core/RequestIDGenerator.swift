internal import EventLoop
internal import Glibc
public import Time

/// Makes request ids in ascending order, also within a millisecond and when the clock steps back.
///
/// The twelve bits after the time count up from a random start within a millisecond (RFC 9562,
/// method 1); when they run over, the id borrows the next millisecond.
public struct RequestIDGenerator: Sendable {
  private var milliseconds: UInt64 = 0
  private var counter: UInt64 = 0

  private static let largestCounter: UInt64 = 0xFFF
  /// A new millisecond starts in the lower half of the counter, to leave room to count.
  private static let largestFirstCounter: UInt64 = 0x7FF

  public init() {}

  /// The next id; later than every one before it.
  public mutating func next(
    at now: Timestamp, using random: inout some RandomNumberGenerator
  ) -> RequestID {
    let clock = UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF
    if clock > milliseconds {
      milliseconds = clock
      counter = .random(in: 0...RequestIDGenerator.largestFirstCounter, using: &random)
    } else if counter < RequestIDGenerator.largestCounter {
      counter += 1
    } else {
      milliseconds += 1
      counter = 0
    }
    let version: UInt64 = 7 << 12
    let variant: UInt64 = 0b10 << 62
    return RequestID(
      high: milliseconds << 16 | version | counter,
      low: variant | random.next() >> 2)
  }
}

/// The one generator of a process, for all of its threads.
public final class RequestIDSource: Sendable {
  private struct State {
    var generator = RequestIDGenerator()
    var random = RandomPool()
  }

  private let state = Lock(State())

  public init() {}

  /// An id that is greater than every id before it.
  public func next(at now: Timestamp) -> RequestID {
    state.withLock { state in
      state.generator.next(at: now, using: &state.random)
    }
  }
}

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
    // `getentropy` fills this many bytes whole, or fails because the system has no generator.
    let status = unsafe words.withUnsafeMutableBytes { bytes -> CInt in
      guard let start = bytes.baseAddress else { return -1 }
      return unsafe getentropy(start, bytes.count)
    }
    precondition(status == 0, "the kernel has no randomness")
  }
}
