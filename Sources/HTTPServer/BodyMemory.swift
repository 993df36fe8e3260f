public import EventLoop
internal import Synchronization

/// The owner for whom a request's body is counted.
public enum RequestOwner: Hashable, Sendable {
  /// A client's key.
  case key(client: String, name: String)
  /// An operator's token.
  case token(name: String)
  /// An unknown sender: the network that the request comes from.
  case stranger(SocketAddress.Network?)
}

/// Counts the memory of all request bodies of a process, from their first bytes until they have
/// been passed on.
///
/// A body is counted as it grows, by the memory that it really takes; an announced `Content-Length`
/// takes none. Small bodies aren't counted, because the number of connections bounds them.
public final class BodyMemory: Sendable {
  /// The largest body, in bytes, that isn't counted.
  static let uncountedBytes = 16 << 10

  enum Refusal: Error {
    /// All bodies together have reached their limit.
    case exhausted
    /// The owner's bodies have reached their share.
    case ownerExhausted
    /// The owner has reached its limit of incomplete bodies.
    case tooManyUnfinished
  }

  /// The use of one owner.
  private struct Use {
    var bytes = 0
    var unfinished = 0
    var isNothing: Bool { bytes == 0 && unfinished == 0 }
  }

  private let used = Atomic<Int>(0)
  private let uses = Lock<[RequestOwner: Use]>([:])

  public init() {}

  /// The number of bytes that are counted now.
  public var usedBytes: Int { used.load(ordering: .relaxed) }

  /// The number of owners with counted bodies.
  var ownerCount: Int { uses.withLock { $0.count } }

  /// Starts to count an incomplete body.
  func begin(
    for owner: RequestOwner, _ limits: HTTPServerLimits
  ) throws(Refusal) -> BodyReservation {
    try uses.withLock { uses throws(Refusal) in
      guard uses[owner, default: Use()].unfinished < limits.unfinishedBodiesPerOwner else {
        throw .tooManyUnfinished
      }
      uses[owner, default: Use()].unfinished += 1
    }
    return BodyReservation(of: owner, in: self)
  }

  fileprivate func take(
    _ count: Int, for owner: RequestOwner, _ limits: HTTPServerLimits
  ) throws(Refusal) {
    try uses.withLock { uses throws(Refusal) in
      guard uses[owner, default: Use()].bytes + count <= limits.bodyMemoryPerOwner else {
        throw .ownerExhausted
      }
      guard used.add(count, ordering: .relaxed).newValue <= limits.bodyMemory else {
        used.subtract(count, ordering: .relaxed)
        throw .exhausted
      }
      uses[owner, default: Use()].bytes += count
    }
  }

  fileprivate func giveBack(_ count: Int, unfinished: Int, of owner: RequestOwner) {
    used.subtract(count, ordering: .relaxed)
    uses.withLock { uses in
      uses[owner]?.bytes -= count
      uses[owner]?.unfinished -= unfinished
      if uses[owner]?.isNothing == true { uses[owner] = nil }
    }
  }
}

/// The memory that one body is counted with. It is given back when the last reference ends.
///
/// An object that holds the bytes of the body must hold this too.
public final class BodyReservation: Sendable {
  private let owner: RequestOwner
  private let memory: BodyMemory
  private let state = Lock((bytes: 0, isFinished: false))

  fileprivate init(of owner: RequestOwner, in memory: BodyMemory) {
    self.owner = owner
    self.memory = memory
  }

  /// Raises the count to `count` bytes in all; a smaller number changes nothing.
  func grow(to count: Int, _ limits: HTTPServerLimits) throws(BodyMemory.Refusal) {
    try state.withLock { state throws(BodyMemory.Refusal) in
      guard count > state.bytes else { return }
      try memory.take(count - state.bytes, for: owner, limits)
      state.bytes = count
    }
  }

  /// Marks the body as complete. Its memory stays counted.
  func finish() {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isFinished = true
      memory.giveBack(0, unfinished: 1, of: owner)
    }
  }

  deinit {
    let (bytes, isFinished) = state.withLock { $0 }
    memory.giveBack(bytes, unfinished: isFinished ? 0 : 1, of: owner)
  }
}
