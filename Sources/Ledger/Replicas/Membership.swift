public import Budgets
internal import EventLoop
internal import Glibc

/// This server's membership among the servers that share a ledger: its ID, and its listener for
/// their messages.
///
/// Only the ledger's writer changes the ID: after other replicas declared this one dead, the writer
/// registers under a new ID.
public final class Membership: Sendable {
  /// The server's reactions to messages of other replicas. They are called on the ledger's threads.
  public struct Listener: Sendable {
    /// Clients, keys, budgets, prices or controls may have changed.
    public var changed: @Sendable () -> Void
    /// Other replicas wait for the unused part of this replica's leases of these sources.
    public var wanted: @Sendable ([LeaseSource]) -> Void
    /// Other replicas have ended all leases of this one. Called before this replica draws any new
    /// lease.
    public var takenForDead: @Sendable () -> Void
    /// Deferred requests of dead replicas, which this replica follows from now on.
    public var inherited: @Sendable ([DeferredRequest]) -> Void
    /// The spool of a dead server on this machine can't be written to the ledger.
    public var notInherited: @Sendable (_ spoolPath: String, LedgerError) -> Void

    public init(
      changed: @escaping @Sendable () -> Void,
      wanted: @escaping @Sendable ([LeaseSource]) -> Void,
      takenForDead: @escaping @Sendable () -> Void,
      inherited: @escaping @Sendable ([DeferredRequest]) -> Void,
      notInherited: @escaping @Sendable (_ spoolPath: String, LedgerError) -> Void
    ) {
      self.changed = changed
      self.wanted = wanted
      self.takenForDead = takenForDead
      self.inherited = inherited
      self.notInherited = notInherited
    }
  }

  /// The name shown to people.
  let name: String
  let heartbeat = Heartbeat()
  private let identity: Lock<ReplicaID>
  private let listener = Lock<Listener?>(nil)

  init(name: String) {
    self.name = name
    identity = Lock(ReplicaID(random: .random(in: 0...(.max))))
  }

  /// The machine's name and the process ID.
  static var processName: String { "\(hostName):\(getpid())" }

  static var hostName: String {
    var bytes = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
    let status = unsafe gethostname(&bytes, bytes.count - 1)
    return status == 0
      ? String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      : "unknown"
  }

  var id: ReplicaID { identity.withLock { $0 } }

  /// Assigns a new ID and returns it.
  func renew() -> ReplicaID {
    let new = ReplicaID(random: .random(in: 0...(.max)))
    identity.withLock { $0 = new }
    return new
  }

  func hear(by new: Listener) {
    listener.withLock { $0 = new }
  }

  func tell(_ body: (Listener) -> Void) {
    if let listener = listener.withLock({ $0 }) { body(listener) }
  }
}

/// Identifies one run of one server among those that share a ledger.
public struct ReplicaID: Hashable, Sendable {
  let text: String

  /// - Parameter random: 64 random bits.
  public init(random: UInt64) {
    let digits = String(random, radix: 16)
    text = String(repeating: "0", count: 16 - digits.count) + digits
  }

  init(text: String) {
    self.text = text
  }
}

extension ReplicaID: CustomStringConvertible {
  public var description: String { text }
}
