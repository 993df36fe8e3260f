/// The content of a request on its way to libcurl.
struct UploadQueue: Sendable {
  /// With as many unsent bytes the sender waits.
  static let highWaterMark = 256 << 10

  private var bytes: [UInt8] = []
  private var start = 0
  /// What a stream with a known length still has to be handed.
  private var missing: Int64?
  /// Whether all of it was there from the beginning, and still is.
  private var isWhole: Bool
  /// How large a body is that was there from the beginning.
  private let wholeCount: Int
  private(set) var isFinished: Bool
  /// Of a body that was there from the beginning: let go of with its bytes.
  private var keeper: (any AnyObject & Sendable)?

  init(_ body: UpstreamBody, keeper: (any AnyObject & Sendable)? = nil) {
    self.keeper = keeper
    wholeCount = if case .bytes(let bytes) = body { bytes.count } else { 0 }
    switch body {
    case .none:
      isWhole = true
    case .bytes(let bytes):
      // Of a smaller one libcurl has a copy, and asks for nothing.
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
  /// Whether more was announced than was handed over.
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

  /// Moves bytes to `buffer` and returns how many: 0 at the end of the content, nil when there are
  /// none yet.
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

  /// Lets go of a body that was there from the beginning and of which `sent` bytes have left: false
  /// unless these are all.
  mutating func forget(sent: Int64) -> Bool {
    guard isWhole, wholeCount > 0, sent >= wholeCount else { return false }
    isWhole = false
    bytes = []
    start = 0
    keeper = nil
    return true
  }

  /// Goes back to the first byte, for a second attempt; false when that is gone.
  mutating func rewind() -> Bool {
    if isWhole { start = 0 }
    return isWhole
  }
}
