internal import EventLoop
internal import Synchronization

/// Counts the connections of each address that do no work for a client that is known, so that no
/// address takes all places.
///
/// A connection counts from its begin to its end, but for the time in which it serves a request
/// whose credential was found valid. So apps may share an address, as behind a NAT, and have any
/// number of requests in flight.
final class AddressShares: Sendable {
  /// The count of one address.
  final class Share: Sendable {
    fileprivate let network: SocketAddress.Network
    private let count = Atomic<Int>(0)

    fileprivate init(_ network: SocketAddress.Network) {
      self.network = network
    }

    var value: Int { count.load(ordering: .relaxed) }

    /// Counts one more, however many there are.
    func add() {
      count.add(1, ordering: .relaxed)
    }

    func subtract() {
      count.subtract(1, ordering: .relaxed)
    }
  }

  private struct Entry {
    let share: Share
    /// How many connections have the share, counted in it or not.
    var holders = 0
  }

  private let entries = Lock<[SocketAddress.Network: Entry]>([:])

  /// Counts one more connection of an address; nil where it has `limit` of them already.
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

  /// Ends what `enter` began.
  ///
  /// - Parameter isCounted: whether the connection counts at its end.
  func leave(_ share: Share, isCounted: Bool) {
    entries.withLock { entries in
      if isCounted { share.subtract() }
      guard var entry = entries[share.network] else { return }
      entry.holders -= 1
      entries[share.network] = entry.holders == 0 ? nil : entry
    }
  }

  /// How many addresses have connections.
  var addressCount: Int { entries.withLock { $0.count } }
}
