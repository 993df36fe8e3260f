public import Budgets
internal import EventLoop
internal import Glibc

/// This server among those that share a ledger: who it is, and what it is told.
///
/// Only the ledger's writer changes who it is: it registers anew when others have taken it for
/// dead.
public final class Membership: Sendable {
  /// What the server does when it hears from others. Called on the ledger's threads.
  public struct Listener: Sendable {
    /// Clients, keys, budgets, prices or controls may have changed.
    public var changed: @Sendable () -> Void
    /// Others wait for what this replica has leased of these and doesn't use.
    public var wanted: @Sendable ([LeaseSource]) -> Void
    /// Others have ended all leases of this replica; before it draws any other.
    public var takenForDead: @Sendable () -> Void
    /// Deferred requests of replicas that are gone, which this one follows from now on.
    public var inherited: @Sendable ([DeferredRequest]) -> Void
    /// What a server on this machine has left in the spool at a path can't be written.
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

  /// By which people know it.
  let name: String
  let heartbeat = Heartbeat()
  private let identity: Lock<ReplicaID>
  private let listener = Lock<Listener?>(nil)

  init(name: String) {
    self.name = name
    identity = Lock(ReplicaID(random: .random(in: 0...(.max))))
  }

  /// The machine's name and the process id.
  static var processName: String { "\(hostName):\(getpid())" }

  static var hostName: String {
    var bytes = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
    let status = unsafe gethostname(&bytes, bytes.count - 1)
    return status == 0
      ? String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      : "unknown"
  }

  var id: ReplicaID { identity.withLock { $0 } }

  /// Becomes another, and returns who.
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
