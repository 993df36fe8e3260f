internal import CSQLite

/// The frames that one connection's transaction has appended to a write-ahead log, waiting to be
/// written at once.
///
/// A frame is a header and a page, written one after the other. Frames wait until the one that ends
/// the transaction is complete, which its header says, or until the log is used in any other way.
/// So they are in the file before SQLite says in the log's index that they are, and for others, or
/// after a death of the process, nothing is different. Where writing them fails, SQLite is told in
/// the call that completes the transaction, and rolls it back.
@safe struct JoinedFrames: ~Copyable {
  /// Writes bytes to the log's file at an offset; what SQLite says of it.
  typealias Below = (_ bytes: UnsafeRawBufferPointer, _ offset: Int64) -> Int32

  private let waiting: UnsafeMutableRawBufferPointer
  private var waitingCount = 0
  /// Where in the file it belongs.
  private var waitingStart: Int64 = 0
  /// Where the transaction goes on; nil before its first frame. Where anything is written before
  /// that, it changes a frame.
  private var next: Int64?
  private var expectsPage = false
  private var endsTransaction = false

  /// SQLite's own files take less than 128 KiB in one call, as it never asks for more itself.
  private static let most = 120 << 10

  /// https://www.sqlite.org/fileformat2.html#walformat: the log's header comes before all frames,
  /// and the second word of a frame's header is zero unless the frame ends a transaction.
  private static let logHeaderSize: Int64 = 32
  private static let frameHeaderSize = 24
  private static let endOfTransaction = 4..<8

  init() {
    unsafe waiting = .allocate(byteCount: Self.most, alignment: 16)
  }

  deinit {
    unsafe waiting.deallocate()
  }

  /// Takes what SQLite writes.
  mutating func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, _ below: Below
  ) -> Int32 {
    let isPage = expectsPage && offset == next
    expectsPage = false
    if isPage {
      let status = unsafe keep(bytes, at: offset, below)
      return status == SQLITE_OK && endsTransaction ? unsafe writeWaiting(below) : status
    }
    if bytes.count == Self.frameHeaderSize, offset >= Self.logHeaderSize,
      next == nil || offset == next
    {
      let status = unsafe keep(bytes, at: offset, below)
      expectsPage = true
      endsTransaction = unsafe bytes[Self.endOfTransaction].contains { $0 != 0 }
      return status
    }
    let status = unsafe writeWaiting(below)
    return status == SQLITE_OK ? unsafe below(bytes, offset) : status
  }

  /// Writes what waits. Where that fails it is lost: no transaction has ended with it.
  mutating func writeWaiting(_ below: Below) -> Int32 {
    guard waitingCount > 0 else { return SQLITE_OK }
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: waiting[..<waitingCount])
    waitingCount = 0
    return unsafe below(bytes, waitingStart)
  }

  /// The transaction is over: what waits still isn't part of it, and its place is for others.
  mutating func forgetTransaction() {
    waitingCount = 0
    next = nil
    expectsPage = false
  }

  private mutating func keep(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, _ below: Below
  ) -> Int32 {
    if unsafe bytes.count > waiting.count - waitingCount {
      let status = unsafe writeWaiting(below)
      guard status == SQLITE_OK else { return status }
    }
    if waitingCount == 0 { waitingStart = offset }
    unsafe UnsafeMutableRawBufferPointer(rebasing: waiting[waitingCount...])
      .copyMemory(from: bytes)
    waitingCount += bytes.count
    next = offset + Int64(bytes.count)
    return SQLITE_OK
  }
}
