internal import EventLoop
public import Ledger
internal import Objects

/// Tells whose the objects are that a provider keeps, so that a request may only name objects of
/// its own client (article Objects).
///
/// Only grants are remembered. An object of another client and an object that nobody has take the
/// same way, a question to the ledger each time, so that the time of a refusal tells nothing.
public final class ObjectOwners: Sendable {
  /// Finds the objects that the ledger has of a provider, by their ids; deleted ones aren't found.
  typealias Lookup =
    @Sendable (_ ids: [String], _ provider: String) async throws(LedgerError)
    -> [String: ProviderObject]

  /// Finds objects that a client may use, by when they were recorded.
  typealias Listing = @Sendable (_ objects: OwnObjects) async throws(LedgerError) -> [String]

  /// Finds the ids of a client's batches that aren't settled yet.
  typealias Unsettled =
    @Sendable (_ client: String, _ provider: String) async throws(LedgerError) -> [String]

  /// The verdict on a request that names objects.
  enum Verdict: Hashable {
    /// The client may use all of them.
    case passes
    /// The first one that the client may not use.
    ///
    /// - Parameter owner: the client that it belongs to; nil for an object that nobody has.
    case refused(ObjectReference, owner: String?)
  }

  /// The most objects of one query to the ledger.
  private static let mostAtOnce = 200

  private let lookup: Lookup
  private let listing: Listing
  private let unsettled: Unsettled
  private let cache = Lock(OwnerCache())

  /// - Parameter location: the ledger that has the objects.
  public convenience init(at location: LedgerLocation) {
    let readers = OwnerReaders(at: location)
    self.init { ids, provider throws(LedgerError) in
      try await readers.owners(of: ids, provider)
    } listing: { objects throws(LedgerError) in
      try await readers.ids(of: objects)
    } unsettled: { client, provider throws(LedgerError) in
      // Without replicas this process knows all of them.
      location.isShared ? try await readers.unsettledBatches(of: client, provider) : []
    }
  }

  init(
    lookup: @escaping Lookup, listing: @escaping Listing = { _ throws(LedgerError) in [] },
    unsettled: @escaping Unsettled = { _, _ throws(LedgerError) in [] }
  ) {
    self.lookup = lookup
    self.listing = listing
    self.unsettled = unsettled
  }

  /// Finds out whether a client may use all objects that a request names.
  ///
  /// - Parameters:
  ///   - provider: the provider's name.
  ///   - passesUnowned: whether objects that nobody has may be used.
  /// - Throws: `LedgerError` where the ledger must be asked and can't be.
  func verdict(
    on references: [ObjectReference], of provider: String, for client: String,
    passesUnowned: Bool = false
  ) async throws(LedgerError) -> Verdict {
    let open = references.filter { !isGranted($0.id, of: provider, to: client) }
    var rest = open[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(ObjectOwners.mostAtOnce)
      rest = rest.dropFirst(chunk.count)
      let owners = try await owners(of: chunk.map(\.id), provider)
      for reference in chunk {
        switch owners[reference.id] {
        case .everybody, .client(client): break
        case .client(let other): return .refused(reference, owner: other)
        case nil where !passesUnowned: return .refused(reference, owner: nil)
        case nil: break
        }
      }
    }
    return .passes
  }

  /// The objects among `ids` that a client may use: its own and shared ones.
  ///
  /// - Throws: `LedgerError` where the ledger must be asked and can't be.
  func owned(
    _ ids: [String], of provider: String, by client: String
  ) async throws(LedgerError) -> Set<String> {
    var owned: Set<String> = []
    var rest = ids.filter { id in
      guard isGranted(id, of: provider, to: client) else { return true }
      owned.insert(id)
      return false
    }[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(ObjectOwners.mostAtOnce)
      rest = rest.dropFirst(chunk.count)
      for (id, owner) in try await owners(of: Array(chunk), provider)
      where owner.grants(client) { owned.insert(id) }
    }
    return owned
  }

  /// The ids of objects that a client may use, by when they were recorded.
  ///
  /// - Throws: `LedgerError` where the ledger can't be asked.
  func ids(of objects: OwnObjects) async throws(LedgerError) -> [String] {
    try await listing(objects)
  }

  /// The objects among `ids` that the ledger has committed, by their ids.
  ///
  /// - Throws: `LedgerError` where the ledger can't be asked.
  func recorded(
    _ ids: [String], of provider: String
  ) async throws(LedgerError) -> [String: ProviderObject] {
    try await lookup(ids, provider)
  }

  /// The owner of an object; nil if it has none.
  ///
  /// - Throws: `LedgerError` where the ledger can't be asked.
  func owner(
    of id: String, of provider: String
  ) async throws(LedgerError) -> ProviderObject.Owner? {
    try await owners(of: [id], provider)[id]
  }

  /// The ids of a client's batches whose lines other replicas have still to settle, the newest
  /// first.
  ///
  /// - Throws: `LedgerError` where the ledger can't be asked.
  func unsettledBatches(
    of client: String, at provider: String
  ) async throws(LedgerError) -> [String] {
    try await unsettled(client, provider)
  }

  // MARK: Changes

  /// The objects that this process doesn't know to be recorded.
  func unknown(among objects: [ProviderObject]) -> [ProviderObject] {
    guard !objects.isEmpty else { return [] }
    let now = MonotonicInstant.now()
    return cache.withLock { cache in
      objects.filter { object in
        let name = OwnerCache.Name(provider: object.provider, id: object.objectID)
        return cache.owner(of: name) == nil && cache.recentOwner(of: name, at: now) == nil
      }
    }
  }

  /// These objects were recorded by this process.
  func note(_ objects: [ProviderObject]) {
    guard !objects.isEmpty else { return }
    let now = MonotonicInstant.now()
    cache.withLock { cache in
      for object in objects {
        cache.note(
          recorded: OwnerCache.Name(provider: object.provider, id: object.objectID),
          owner: object.owner, at: now)
      }
    }
  }

  /// An object is gone at its provider.
  func forget(_ id: String, of provider: String) {
    cache.withLock { $0.forget(OwnerCache.Name(provider: provider, id: id)) }
  }

  /// Administrators may have changed owners.
  ///
  /// - Parameter written: see `OwnerCache.doubtAll`.
  func doubtAll(written: MonotonicInstant?) {
    cache.withLock { $0.doubtAll(written: written) }
  }

  // MARK: Whose is it?

  private func isGranted(_ id: String, of provider: String, to client: String) -> Bool {
    let name = OwnerCache.Name(provider: provider, id: id)
    return cache.withLock { $0.owner(of: name)?.grants(client) ?? false }
  }

  /// The owners that the ledger knows, and those of objects that it will have in a moment.
  private func owners(
    of ids: [String], _ provider: String
  ) async throws(LedgerError) -> [String: ProviderObject.Owner] {
    // The ledger isn't asked about texts that can't be ids.
    let ids = ids.filter(ProviderObject.isID)
    guard !ids.isEmpty else { return [:] }
    let found = try await lookup(ids, provider)
    let now = MonotonicInstant.now()
    return cache.withLock { cache in
      var owners: [String: ProviderObject.Owner] = [:]
      for id in ids {
        let name = OwnerCache.Name(provider: provider, id: id)
        if let object = found[id] {
          cache.note(name, owner: object.owner)
          owners[id] = object.owner
        } else {
          owners[id] = cache.recentOwner(of: name, at: now)
        }
      }
      return owners
    }
  }
}

extension ProviderObject.Owner {
  fileprivate func grants(_ client: String) -> Bool {
    switch self {
    case .client(let owner): owner == client
    case .everybody: true
    }
  }
}
