/// Received bytes that haven't been read yet.
struct InputBuffer {
  private var storage: [UInt8] = []
  private var start = 0

  var count: Int { storage.count - start }
  var isEmpty: Bool { count == 0 }

  func withUnread<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(storage.span.extracting(droppingFirst: start))
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    unsafe storage.append(contentsOf: bytes)
  }

  /// Removes read bytes. An empty buffer releases its memory, because connections spend most of
  /// their time waiting.
  mutating func consume(_ count: Int) {
    start += count
    guard start == storage.count else { return }
    start = 0
    storage = []
  }

  /// Moves at most `limit` bytes to the end of `target`.
  mutating func move(upTo limit: Int, into target: inout [UInt8]) {
    let taken = min(limit, count)
    target.append(contentsOf: storage[start..<(start + taken)])
    consume(taken)
  }
}
