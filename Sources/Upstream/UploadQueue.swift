/// The content of a request on its way to libcurl.
struct UploadQueue: Sendable {
  /// The number of unsent bytes at which the sender waits.
  static let highWaterMark = 256 << 10

  private var bytes: [UInt8] = []
  private var start = 0
  /// The announced bytes that a stream with a known length still lacks.
  private var missing: Int64?
  /// Whether the whole body was given at the start and is still held.
  private var isWhole: Bool
  /// The size of a body that was given at the start; 0 for a stream.
  private let wholeCount: Int
  private(set) var isFinished: Bool
  /// The object that counts the memory of a body given at the start. It is released with the bytes.
  private var keeper: (any AnyObject & Sendable)?

  init(_ body: UpstreamBody, keeper: (any AnyObject & Sendable)? = nil) {
    self.keeper = keeper
    wholeCount = if case .bytes(let bytes) = body { bytes.count } else { 0 }
    switch body {
    case .none:
      isWhole = true
    case .bytes(let bytes):
      // libcurl has a copy of a smaller body, and requests no bytes.
      if bytes.count > EasyHandle.copiedBodyBytes { self.bytes = bytes }
      isWhole = true
    case .stream(let length):
      missing = length
      isWhole = false
    case .upgrade:
      isWhole = false
    }
    isFinished = isWhole
  }

  var count: Int { bytes.count - start }
  var isFull: Bool { count >= Self.highWaterMark }
  /// Whether fewer bytes were given than announced.
  var isShort: Bool { missing.map { $0 > 0 } ?? false }

  mutating func append(_ more: [UInt8]) {
    precondition(!isFinished, "content after its end")
    if let missing {
      precondition(more.count <= missing, "more content than was announced")
      self.missing = missing - Int64(more.count)
    }
    if start == bytes.count {
      bytes = more
      start = 0
    } else {
      bytes.append(contentsOf: more)
    }
  }

  mutating func finish() {
    isFinished = true
  }

  /// Moves bytes to `buffer` and returns their number: 0 at the end of the content, nil if there
  /// are none yet.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let taken = min(count, buffer.count)
    guard taken > 0 else { return isFinished ? 0 : nil }
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe buffer.copyMemory(from: .init(rebasing: bytes[start..<start + taken]))
    }
    start += taken
    if !isWhole && start >= Self.highWaterMark {
      bytes.removeFirst(start)
      start = 0
    }
    return taken
  }

  /// Releases a body that was given at the start if all of it was sent; returns whether it did.
  mutating func forget(sent: Int64) -> Bool {
    guard isWhole, wholeCount > 0, sent >= wholeCount else { return false }
    isWhole = false
    bytes = []
    start = 0
    keeper = nil
    return true
  }

  /// Returns to the first byte for a second attempt; returns false if the body was released.
  mutating func rewind() -> Bool {
    if isWhole { start = 0 }
    return isWhole
  }
}
