internal import EventLoop

/// Ended spans that wait for export. Spans beyond the capacity are dropped and counted.
final class SpanQueue: Sendable {
  private struct State {
    var spans: [RequestSpan] = []
    var dropped: Int64 = 0
  }

  /// Rings when a batch is full.
  let bell = WorkBell()
  private let capacity: Int
  private let batchSize: Int
  private let state = Lock(State())

  /// - Parameters:
  ///   - capacity: The most waiting spans; at least `batchSize`.
  ///   - batchSize: The most spans of one batch. Positive.
  init(capacity: Int, batchSize: Int) {
    precondition(batchSize > 0 && capacity >= batchSize, "a batch fits")
    self.capacity = capacity
    self.batchSize = batchSize
  }

  func add(_ span: RequestSpan) {
    let isFull = state.withLock { state in
      guard state.spans.count < capacity else {
        state.dropped += 1
        return false
      }
      state.spans.append(span)
      return state.spans.count == batchSize
    }
    if isFull { bell.ring() }
  }

  /// Removes and returns the spans that have waited longest, at most one batch.
  func takeBatch() -> [RequestSpan] {
    state.withLock { state in
      let batch = Array(state.spans.prefix(batchSize))
      state.spans.removeFirst(batch.count)
      return batch
    }
  }

  /// Counts spans that were taken but not accepted.
  func countDropped(_ count: Int64) {
    state.withLock { $0.dropped += count }
  }

  var dropped: Int64 { state.withLock { $0.dropped } }
}
