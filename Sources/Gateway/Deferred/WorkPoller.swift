internal import EventLoop
internal import Ledger

/// Asks providers how deferred work stands until it has ended: perhaps nobody else ever does.
///
/// Each piece of work has a follower, a task of its own on the poller's loop. All of it belongs to
/// that loop's thread.
final class WorkPoller {
  unowned let gateway: Gateway
  let resources: LoopResources
  let loop: EventLoop
  private var followers: [DeferredWork.ID: Follower] = [:]
  private let end = Waiter<Void>()
  private(set) var isStopped = false
  /// Limits the questions to providers at one time, in all and for one client. Other work waits its
  /// turn.
  private var turns = AskingTurns<Follower>(mostAtOnce: 16, mostOfOneClient: 8)

  init(for gateway: Gateway, at resources: LoopResources, on loop: EventLoop) {
    self.gateway = gateway
    self.resources = resources
    self.loop = loop
  }

  func follow(_ work: DeferredWork) {
    loop.preconditionOnLoop()
    guard !isStopped, followers[work.id] == nil else { return }
    let follower = Follower(of: work, for: self)
    followers[work.id] = follower
    let bound = LoopBound((self, follower), on: loop)
    Task(executorPreference: loop) {
      let (poller, follower) = bound.value
      await follower.run()
      poller.remove(follower)
    }
  }

  // MARK: Turns

  /// Waits until a follower may ask. False where the poller stops first.
  func beginTurn(of follower: Follower) async -> Bool {
    if turns.begin(follower, of: follower.work.clientID) { return true }
    return await follower.waitForTurn()
  }

  func endTurn(of follower: Follower) {
    for next in turns.end(of: follower.work.clientID) { next.takeTurn() }
  }

  private func remove(_ follower: Follower) {
    followers[follower.work.id] = nil
    if followers.isEmpty { end.wake() }
  }

  /// Ends all followers. The work stays deferred: the next start goes on with it.
  func stop() async {
    loop.preconditionOnLoop()
    isStopped = true
    for follower in followers.values { follower.stop() }
    if !followers.isEmpty { await end.wait() }
  }
}
