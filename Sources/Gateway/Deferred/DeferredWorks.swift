internal import EventLoop
public import Ledger

/// All work that providers go on with, and the places that clients have for it.
final class DeferredWorks: Sendable {
  fileprivate struct State {
    var underway: [DeferredWork.ID: DeferredWork] = [:]
    /// Work that has ended, by whose request it was begun; `endedIDs` has it in order.
    var ended: [DeferredWork.ID: DeferredWork.Origin] = [:]
    var endedIDs: [DeferredWork.ID] = []
    var oldestEnded = 0
  }

  /// The result of inserting work.
  enum Insertion {
    case inserted
    /// An earlier request of the same client with the same `Idempotency-Key` has begun it; nil
    /// where it has ended since.
    case repeated(DeferredWork?)
    /// Its id is that of other work.
    case taken
  }

  /// Work that an earlier request has begun.
  enum Earlier {
    case underway(DeferredWork)
    case ended
  }

  /// Clients may take no more places, or this one may not.
  enum Full: Error, Equatable {
    case all
    case client
  }

  private let state = Lock(State())
  private let places: DeferredPlaces

  /// The most pieces of work under way, requests for such work included. Catraca asks about each
  /// piece once a minute at least.
  static let largestCount = 10_000
  /// The most pieces of one client, so that no client takes the places of all others.
  static let largestShare = largestCount / 10
  /// The number of ended pieces that are remembered, to know a request that asks for one again.
  static let remembered = 10_000

  init(largestCount: Int = largestCount, largestShare: Int = largestShare) {
    places = DeferredPlaces(largestCount: largestCount, largestShare: largestShare)
  }

  // MARK: Places

  /// Takes a place for work that a client is about to ask for. It is free again when nothing has it
  /// any more.
  func takePlace(for clientID: String) throws(Full) -> DeferredPlace {
    try places.take(for: clientID)
    return DeferredPlace(of: clientID, in: places)
  }

  /// Takes a place for work that is under way already, whether or not there is one.
  func takePlaceAnyway(for clientID: String) -> DeferredPlace {
    places.takeAnyway(for: clientID)
    return DeferredPlace(of: clientID, in: places)
  }

  func count(of clientID: String) -> Int { places.count(of: clientID) }

  // MARK: Work

  func insert(_ work: DeferredWork) -> Insertion {
    state.withLock { state in
      if let origin = work.origin, let earlier = state.earlier(work.id, than: origin) {
        return switch earlier {
        case .underway(let known): .repeated(known)
        case .ended: .repeated(nil)
        }
      }
      guard state.underway[work.id] == nil else { return .taken }
      state.underway[work.id] = work
      return .inserted
    }
  }

  func find(_ id: DeferredWork.ID) -> DeferredWork? {
    state.withLock { $0.underway[id] }
  }

  /// The batches of a client, those begun last first.
  func batches(of clientID: String, at provider: String) -> [DeferredWork] {
    let batches = state.withLock { state in
      state.underway.values.filter {
        $0.record.kind == .batch && $0.clientID == clientID && $0.record.provider == provider
      }
    }
    return batches.sorted { $0.record.expected.row.createdAt > $1.record.expected.row.createdAt }
  }

  /// The work of this id, where a request of this origin only repeats the one that has begun it.
  func earlier(_ id: DeferredWork.ID, than origin: DeferredWork.Origin) -> Earlier? {
    state.withLock { $0.earlier(id, than: origin) }
  }

  /// The work has its rows.
  func remove(_ id: DeferredWork.ID) {
    state.withLock { state in
      let origin = state.underway.removeValue(forKey: id)?.origin
      if let origin { state.remember(id, origin) }
    }
  }

  /// Remembers work that had ended before its answer came.
  func noteEnded(_ id: DeferredWork.ID, _ origin: DeferredWork.Origin) {
    state.withLock { $0.remember(id, origin) }
  }
}

extension DeferredWorks.State {
  fileprivate func earlier(
    _ id: DeferredWork.ID, than origin: DeferredWork.Origin
  ) -> DeferredWorks.Earlier? {
    if let work = underway[id] { return work.isRepeated(by: origin) ? .underway(work) : nil }
    return ended[id]?.isRepeated(by: origin) ?? false ? .ended : nil
  }

  fileprivate mutating func remember(_ id: DeferredWork.ID, _ origin: DeferredWork.Origin) {
    guard origin.idempotencyKey != nil, ended.updateValue(origin, forKey: id) == nil else { return }
    if endedIDs.count < DeferredWorks.remembered {
      endedIDs.append(id)
    } else {
      ended[endedIDs[oldestEnded]] = nil
      endedIDs[oldestEnded] = id
      oldestEnded = (oldestEnded + 1) % DeferredWorks.remembered
    }
  }
}

/// One place for work that outlives its answer. It is given back once, when the last that has it
/// lets it go: a request that is refused, or the work that has ended.
final class DeferredPlace: Sendable {
  private let clientID: String
  private let places: DeferredPlaces

  fileprivate init(of clientID: String, in places: DeferredPlaces) {
    self.clientID = clientID
    self.places = places
  }

  deinit { places.giveBack(of: clientID) }
}

/// How many places are taken.
private final class DeferredPlaces: Sendable {
  fileprivate struct Counts {
    var all = 0
    var byClient: [String: Int] = [:]
  }

  private let counts = Lock(Counts())
  private let largestCount: Int
  private let largestShare: Int

  init(largestCount: Int, largestShare: Int) {
    self.largestCount = largestCount
    self.largestShare = largestShare
  }

  func take(for clientID: String) throws(DeferredWorks.Full) {
    try counts.withLock { counts throws(DeferredWorks.Full) in
      guard counts.byClient[clientID, default: 0] < largestShare else { throw .client }
      guard counts.all < largestCount else { throw .all }
      counts.take(for: clientID)
    }
  }

  func takeAnyway(for clientID: String) {
    counts.withLock { $0.take(for: clientID) }
  }

  func giveBack(of clientID: String) {
    counts.withLock { counts in
      counts.all -= 1
      let left = counts.byClient[clientID, default: 0] - 1
      counts.byClient[clientID] = left > 0 ? left : nil
    }
  }

  func count(of clientID: String) -> Int {
    counts.withLock { $0.byClient[clientID, default: 0] }
  }
}

extension DeferredPlaces.Counts {
  fileprivate mutating func take(for clientID: String) {
    all += 1
    byClient[clientID, default: 0] += 1
  }
}

extension Gateway {
  /// Goes on with requests whose providers work on, and whose replicas are gone: holds again what
  /// they held, and has the providers asked.
  public func inherit(_ requests: [DeferredRequest]) {
    for request in requests {
      followAgain(
        DeferredWork(
          request, controller.restore(request.recordedHold),
          place: deferredWorks.takePlaceAnyway(for: request.expected.row.clientID), origin: nil))
    }
  }
}
