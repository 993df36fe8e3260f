internal import EventLoop
internal import Synchronization

/// Counts the connections of each address that do no work for a known client, so that no address
/// takes all places.
///
/// A connection counts from its start to its end, except while it serves a request with a valid
/// credential. Apps may therefore share an address, for example behind a NAT, and have any number
/// of requests in flight.
final class AddressShares: Sendable {
  /// The count of one address.
  final class Share: Sendable {
    fileprivate let network: SocketAddress.Network
    private let count = Atomic<Int>(0)

    fileprivate init(_ network: SocketAddress.Network) {
      self.network = network
    }

    var value: Int { count.load(ordering: .relaxed) }

    /// Counts one more connection, without a limit.
    func add() {
      count.add(1, ordering: .relaxed)
    }

    func subtract() {
      count.subtract(1, ordering: .relaxed)
    }
  }

  private struct Entry {
    let share: Share
    /// The number of connections with this share, counted in it or not.
    var holders = 0
  }

  private let entries = Lock<[SocketAddress.Network: Entry]>([:])

  /// Counts one more connection of an address; returns nil if it already has `limit`.
  func enter(_ network: SocketAddress.Network, limit: Int) -> Share? {
    entries.withLock { entries in
      var entry = entries[network] ?? Entry(share: Share(network))
      guard entry.share.value < limit else { return nil }
      entry.share.add()
      entry.holders += 1
      entries[network] = entry
      return entry.share
    }
  }

  /// Ends the connection that `enter` began.
  ///
  /// - Parameter isCounted: Whether the connection counts at its end.
  func leave(_ share: Share, isCounted: Bool) {
    entries.withLock { entries in
      if isCounted { share.subtract() }
      guard var entry = entries[share.network] else { return }
      entry.holders -= 1
      entries[share.network] = entry.holders == 0 ? nil : entry
    }
  }

  /// The number of addresses with connections.
  var addressCount: Int { entries.withLock { $0.count } }
}
