internal import EventLoop
internal import Ledger

/// The owners of objects as this process knows them: those that it has recorded itself, and those
/// that the ledger has named.
///
/// The cache is bounded. An owner that falls out of it is asked from the ledger again.
struct OwnerCache {
  /// An object of a provider.
  struct Name: Hashable {
    let provider: String
    let id: String
  }

  private struct Entry {
    let owner: ProviderObject.Owner
    /// When this process recorded it; nil once the ledger has named the owner.
    let recordedAt: MonotonicInstant?
    /// Whether only the ledger can tell whether this is the owner: it keeps the first one.
    let isDoubtful: Bool

    func isRecent(at now: MonotonicInstant) -> Bool {
      recordedAt.map { now.elapsed(since: $0) < OwnerCache.recordingTime } ?? false
    }
  }

  /// The most entries of each half. Once the young half is full, it becomes the old one, and the
  /// former old half is forgotten.
  static let halfCapacity = 1 << 15
  /// The longest time after which what was recorded must be in the ledger's database, unless the
  /// database is away.
  static let recordingTime = Duration.seconds(10)

  private var young: [Name: Entry] = [:]
  private var old: [Name: Entry] = [:]

  /// Notes the owner that the ledger has named.
  mutating func note(_ name: Name, owner: ProviderObject.Owner) {
    insert(Entry(owner: owner, recordedAt: nil, isDoubtful: false), for: name)
  }

  /// Notes an object that this process has recorded. If another client has it already, that client
  /// keeps it; only the ledger knows that.
  mutating func note(
    recorded name: Name, owner: ProviderObject.Owner, at now: MonotonicInstant
  ) {
    if let known = young[name] ?? old[name], !known.isDoubtful || known.isRecent(at: now) { return }
    insert(Entry(owner: owner, recordedAt: now, isDoubtful: true), for: name)
  }

  private mutating func insert(_ entry: Entry, for name: Name) {
    if young.count >= OwnerCache.halfCapacity {
      old = young
      young = [:]
    }
    young[name] = entry
  }

  /// The object is gone.
  mutating func forget(_ name: Name) {
    young[name] = nil
    old[name] = nil
  }

  /// The owner of an object, as far as the ledger needn't be asked.
  func owner(of name: Name) -> ProviderObject.Owner? {
    guard let entry = young[name] ?? old[name], !entry.isDoubtful else { return nil }
    return entry.owner
  }

  /// The owner of an object that the ledger doesn't have, because what this process has recorded a
  /// moment ago may not have reached the database.
  func recentOwner(of name: Name, at now: MonotonicInstant) -> ProviderObject.Owner? {
    guard let entry = young[name] ?? old[name], entry.isRecent(at: now) else { return nil }
    return entry.owner
  }

  /// Administrators may have changed owners: the ledger is asked for each of them again.
  ///
  /// - Parameter written: The ledger's database has the objects that this process recorded before
  ///   this instant, so that an object that isn't there was forgotten. Nil while entries may wait.
  mutating func doubtAll(written: MonotonicInstant? = nil) {
    func mayWait(_ entry: Entry) -> Bool {
      guard entry.isDoubtful, let recordedAt = entry.recordedAt else { return false }
      return written.map { recordedAt > $0 } ?? true
    }
    young = young.filter { mayWait($0.value) }
    old = old.filter { mayWait($0.value) }
  }
}
