internal import EventLoop

/// Counts the simultaneous requests of each key and token, so that none of them takes all
/// connections of a listener.
///
/// A request counts from the validation of its credential until its answer ends. Waiting requests,
/// idle streams and WebSockets therefore count. A connection between two requests doesn't: it
/// counts for its address.
final class RequestShares: Sendable {
  private let counts = Lock<[RequestOwner: Int]>([:])

  /// Counts one more request of an owner; returns false if it already has `limit`.
  func enter(_ owner: RequestOwner, limit: Int) -> Bool {
    counts.withLock { counts in
      let count = counts[owner, default: 0]
      guard count < limit else { return false }
      counts[owner] = count + 1
      return true
    }
  }

  /// Ends the request that `enter` began.
  func leave(_ owner: RequestOwner) {
    counts.withLock { counts in
      guard let count = counts[owner] else { return }
      counts[owner] = count > 1 ? count - 1 : nil
    }
  }

  /// The number of owners with requests in progress.
  var ownerCount: Int { counts.withLock { $0.count } }
}
