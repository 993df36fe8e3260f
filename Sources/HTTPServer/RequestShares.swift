internal import EventLoop

/// Counts the requests under way of each key and token, so that none of them takes all
/// connections of a listener.
///
/// A request counts from the moment at which its credential is found valid until its answer ends.
/// So one that waits, a stream that rests and a WebSocket all count, and a connection between two
/// requests doesn't: that counts for its address.
final class RequestShares: Sendable {
  private let counts = Lock<[RequestOwner: Int]>([:])

  /// Counts one more request of an owner; false where it has `limit` of them already.
  func enter(_ owner: RequestOwner, limit: Int) -> Bool {
    counts.withLock { counts in
      let count = counts[owner, default: 0]
      guard count < limit else { return false }
      counts[owner] = count + 1
      return true
    }
  }

  /// Ends what `enter` began.
  func leave(_ owner: RequestOwner) {
    counts.withLock { counts in
      guard let count = counts[owner] else { return }
      counts[owner] = count > 1 ? count - 1 : nil
    }
  }

  /// How many owners have requests under way.
  var ownerCount: Int { counts.withLock { $0.count } }
}
