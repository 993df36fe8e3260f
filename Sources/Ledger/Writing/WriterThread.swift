internal import Glibc

/// A thread of its own for work that blocks.
enum WriterThread {
  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Starts a thread that runs `body` and ends with it.
  static func start(_ body: sending @escaping () -> Void) throws(LedgerError) {
    let work = unsafe Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        }
        return nil
      }, unsafe work.toOpaque())
    guard status == 0 else {
      unsafe work.release()
      throw .unavailable(
        reason: "no thread to write on: \(unsafe String(cString: strerror(status)))")
    }
    // It ends by itself; whoever closes the ledger waits for its last word, not for the thread.
    pthread_detach(thread)
  }
}
