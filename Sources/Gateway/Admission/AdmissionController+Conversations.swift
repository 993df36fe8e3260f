internal import Budgets
internal import EventLoop
internal import Ledger
internal import Time

// Begins conversations under limits that replicas share.

extension AdmissionController {
  /// How often a call asks again whose conversation would have a place that another may not need.
  private static let placeInterval = Duration.milliseconds(250)

  /// Sets the demand aside on leases, once its conversation may begin: within `patience` for both.
  func admit(
    _ demand: Demand, for caller: Caller, patience: Duration, at leases: LeaseClient,
    on loop: EventLoop, whenLeaving: (@escaping () -> Void) -> Void
  ) async -> Verdict {
    let begin = MonotonicInstant.now()
    var left = patience
    var hasLeft = false
    while true {
      let verdict = await admitOnce(
        demand, for: caller, patience: left, at: leases, on: loop, whenLeaving: whenLeaving)
      left = patience - MonotonicInstant.now().elapsed(since: begin)
      guard case .denied(let denial) = verdict, denial.isOfPlacesThatMayBeFreed, left > .zero
      else { return verdict }
      whenLeaving { hasLeft = true }
      do {
        try await Task.sleep(for: min(left, AdmissionController.placeInterval))
      } catch {
        return verdict
      }
      if hasLeft { return .abandoned }
    }
  }

  private func admitOnce(
    _ demand: Demand, for caller: Caller, patience: Duration, at leases: LeaseClient,
    on loop: EventLoop, whenLeaving: (@escaping () -> Void) -> Void
  ) async -> Verdict {
    let claim = change { state, now, _ in state.budgets.claimConversation(for: caller, at: now) }
    guard let claim else {
      return await holdOnLeases(
        demand, for: caller, patience: patience, at: leases, on: loop, whenLeaving: whenLeaving)
    }
    defer { change { state, _, _ in state.budgets.end(claim) } }
    if let request = claim.request {
      guard let answer = await leases.permit(request) else { return .ledgerUnavailable }
      change { state, now, _ in state.budgets.take(answer, at: now) }
    }
    return await holdOnLeases(
      demand, for: caller, patience: patience, at: leases, on: loop, whenLeaving: whenLeaving)
  }

  /// Gives back the permits that no call uses any more.
  func giveBackPermits(to leases: LeaseClient) async {
    guard read({ $0.hasUnusedPermits }) else { return }
    let returns = change { state, _, _ in state.budgets.takeUnusedPermits() }
    do {
      try await leases.giveBack(returns)
    } catch {
      change { state, _, _ in state.budgets.notGivenBack(returns) }
    }
  }
}

extension Denial {
  /// Whether it is for conversations that others may begin, and may not.
  fileprivate var isOfPlacesThatMayBeFreed: Bool {
    reason == .contended && unit == .conversations
  }
}
