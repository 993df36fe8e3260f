internal import CLinux

/// Event loops, each on its own thread.
public final class EventLoopGroup: Sendable {
  public let loops: [EventLoop]
  private let threads: Lock<[Thread]>

  /// Starts `count` loops, at least one.
  /// - Throws: `SystemError` if a loop or its thread can't be created.
  public init(count: Int) throws(SystemError) {
    var loops: [EventLoop] = []
    for _ in 0..<max(1, count) { loops.append(try EventLoop()) }
    self.loops = loops
    var threads: [Thread] = []
    for (index, loop) in loops.enumerated() {
      threads.append(try Thread(name: "loop-\(index)") { loop.run() })
    }
    self.threads = Lock(threads)
  }

  /// The number of processors that this process may use, by its affinity (`taskset`, a container's
  /// set).
  public static var processorCount: Int {
    max(1, Int(catraca_processor_count()))
  }

  /// Stops every loop after its current turn, and waits for the threads to end.
  public func stop() {
    for loop in loops { loop.stop() }
    let threads = threads.withLock { threads in
      let taken = threads
      threads = []
      return taken
    }
    for thread in threads { thread.join() }
  }
}
