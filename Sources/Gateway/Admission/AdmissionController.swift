internal import Budgets
internal import EventLoop
internal import Ledger
internal import Money
internal import Time

/// The one lock around the state of all budgets, and the place where requests wait their turn.
///
/// The state machine in `Budgets` decides; this controller brings it the time, keeps the tasks that
/// wait, and wakes them when an event says what became of them. Nothing inside the lock waits.
final class AdmissionController: Sendable {
  /// The result of an admission.
  indirect enum Verdict: Sendable {
    /// `shadows`: the reasons for which shadow budgets would have refused the request.
    case held(Grant, shadows: [Denial])
    case denied(Denial)
    /// The client left while it waited.
    case abandoned
    /// Nothing more can be drawn of limits that are shared with other replicas.
    case ledgerUnavailable

    var isDenied: Bool { if case .denied = self { true } else { false } }
  }

  struct State {
    var budgets: BudgetState
    /// How often the state was changed.
    fileprivate var revision: UInt64 = 0
    fileprivate var waiting: [Ticket: Place] = [:]
  }

  /// Where a waiting request's verdict goes. The task comes for it after the lock is free, so
  /// either may be there first.
  fileprivate enum Place {
    case empty
    case task(CheckedContinuation<Verdict, Never>)
    case verdict(Verdict)
  }

  private let state: Lock<State>
  private let clock: @Sendable () -> Timestamp
  private let observe: @Sendable ([Event]) -> Void
  /// Nil where no limit is shared with other replicas.
  let leases: LeaseClient?

  /// - Parameter observe: is told every event, outside the lock, in order of the command.
  init(
    _ budgets: BudgetState, leases: LeaseClient? = nil, clock: @escaping @Sendable () -> Timestamp,
    observe: @escaping @Sendable ([Event]) -> Void
  ) {
    state = Lock(State(budgets: budgets))
    self.leases = leases
    self.clock = clock
    self.observe = observe
  }

  // MARK: Admission

  /// The result of an admission without waiting: a verdict, or a ticket to wait with.
  enum Decision {
    case decided(Verdict)
    case waiting(Ticket)
  }

  /// Sets the demand aside on what is leased for it, waiting at most `patience` for requests in
  /// flight to end. `whenLeaving` is handed a way to give the wait up.
  func holdOnLeases(
    _ demand: Demand, for caller: Caller, patience: Duration, at leases: LeaseClient,
    on loop: EventLoop, whenLeaving: (@escaping () -> Void) -> Void
  ) async -> Verdict {
    guard await lease(for: demand, of: caller, at: leases) else { return .ledgerUnavailable }
    let verdict = await hold(
      demand, for: caller, patience: patience, on: loop, whenLeaving: whenLeaving)
    // Nobody knows what others have left of the limit.
    if case .denied(let denial) = verdict, denial.reason == .contended, leases.isFailing {
      return .ledgerUnavailable
    }
    return verdict
  }

  private func hold(
    _ demand: Demand, for caller: Caller, patience: Duration, on loop: EventLoop,
    whenLeaving: (@escaping () -> Void) -> Void
  ) async -> Verdict {
    switch decide(demand, for: caller) {
    case .decided(let verdict): verdict
    case .waiting(let ticket):
      await verdict(for: ticket, patience: patience, on: loop, whenLeaving: whenLeaving)
    }
  }

  /// Waits at most `patience` for requests in flight to end.
  func verdict(
    for ticket: Ticket, patience: Duration, on loop: EventLoop,
    whenLeaving: (@escaping () -> Void) -> Void
  ) async -> Verdict {
    let timer = LoopTimer(on: loop) { [self] in
      change { state, now, events in state.budgets.expire(ticket, at: now, events: &events) }
    }
    timer.start(after: patience)
    whenLeaving { [self] in leave(ticket) }
    let verdict = await verdict(for: ticket)
    timer.stop()
    return verdict
  }

  /// Sets the demand aside on every budget that applies; of limits that other replicas share, on
  /// what is leased of them.
  @inline(never)
  func decide(_ demand: Demand, for caller: Caller) -> Decision {
    let (admission, events) = step { state, now, events in
      let admission = state.budgets.hold(demand, for: caller, at: now, events: &events)
      if case .waiting(let ticket) = admission { state.waiting[ticket] = .empty }
      return admission
    }
    return switch admission {
    case .held(let grant):
      .decided(.held(grant, shadows: AdmissionController.shadows(of: grant.hold, in: events)))
    case .denied(let denial): .decided(.denied(denial))
    case .waiting(let ticket): .waiting(ticket)
    }
  }

  private func verdict(for ticket: Ticket) async -> Verdict {
    await withCheckedContinuation { task in
      let early: Verdict? = state.withLock { state in
        if case .verdict(let verdict) = state.waiting[ticket] {
          state.waiting[ticket] = nil
          return verdict
        }
        state.waiting[ticket] = .task(task)
        return nil
      }
      if let early { task.resume(returning: early) }
    }
  }

  private func leave(_ ticket: Ticket) {
    let task: CheckedContinuation<Verdict, Never>? = change { state, now, events in
      guard case .task(let task) = state.waiting[ticket] else { return nil }
      state.waiting[ticket] = nil
      state.budgets.withdraw(ticket, at: now, events: &events)
      return task
    }
    task?.resume(returning: .abandoned)
  }

  /// The charge of a hold that is settled with `consumption`, and the credits' part of it. The
  /// intent states it before anything is sent.
  func expectation(
    settling hold: HoldID, with consumption: Consumption
  ) -> Budgets.Settlement {
    let now = clock()
    return state.withLock { state in
      state.budgets.expectation(settling: hold, with: consumption, at: now)
    }
  }

  /// The rest of the tightest budget as it would be if a hold were settled so.
  func tightest(settling hold: HoldID, with consumption: Consumption) -> Remainder? {
    let now = clock()
    return state.withLock { $0.budgets.tightest(settling: hold, with: consumption, at: now) }
  }

  /// Takes a hold up again that another process took.
  func restore(_ hold: RecordedHold) -> Grant {
    change { state, now, _ in state.budgets.restore(hold, at: now) }
  }

  /// Counts use that did not pass here.
  func record(
    _ consumption: Consumption, rates: ExchangeRates, for caller: Caller
  ) -> Budgets.Settlement {
    change { state, now, events in
      state.budgets.record(consumption, rates: rates, for: caller, at: now, events: &events)
    }
  }

  /// Counts a part of what a held request uses; the rest stays held.
  func draw(
    _ consumption: Consumption, from hold: HoldID, for caller: Caller?
  ) -> Budgets.Settlement {
    end { state, now, events throws(BudgetError) in
      try state.budgets.draw(consumption, from: hold, for: caller, at: now, events: &events)
    }
  }

  // MARK: Configuration

  /// Puts all of it in force in one step.
  func configure(_ setup: BudgetSetup, replacing former: BudgetSetup) throws(BudgetError) {
    let areSame = setup.policy == former.policy && setup.budgets == former.budgets
    try change { state, now, events throws(BudgetError) in
      if !areSame {
        try state.budgets.configure(setup.budgets, policy: setup.policy, at: now, events: &events)
      }
      state.budgets.limitConversations(setup.conversationLimits, at: now)
      state.budgets.takeCredits(setup.credits, at: now, events: &events)
    }
  }

  func recall(_ uses: [RecordedUse], conversations: [String: [String]]) {
    change { state, now, _ in
      state.budgets.recall(uses, at: now)
      for (client, begun) in conversations { state.budgets.begin(begun, of: client, at: now) }
    }
  }

  func apply(_ controls: BudgetControls, replacing former: [BudgetControl]) {
    change { state, now, events in
      state.budgets.apply(controls, replacing: former, at: now, events: &events)
    }
  }

  /// Asks how the budgets stand.
  func read<Answer: Sendable>(_ body: @Sendable (BudgetState) -> Answer) -> Answer {
    state.withLock { body($0.budgets) }
  }

  /// Another number after each hold, settlement, refusal and setting.
  var revision: UInt64 { state.withLock { $0.revision } }

  func definition(of budget: BudgetID) -> BudgetDefinition? {
    state.withLock { $0.budgets.definition(of: budget) }
  }

  // MARK: One step

  func change<Result: Sendable, Failure: Error>(
    _ body: (inout State, Timestamp, inout [Event]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try step(body).result
  }

  /// Changes the state, then hands the verdicts that came of it to the tasks that wait for them.
  private func step<Result: Sendable, Failure: Error>(
    _ body: (inout State, Timestamp, inout [Event]) throws(Failure) -> Result
  ) throws(Failure) -> (result: Result, events: [Event]) {
    let now = clock()
    var events: [Event] = []
    var woken: [(CheckedContinuation<Verdict, Never>, Verdict)] = []
    let result = try state.withLock { state throws(Failure) in
      state.revision &+= 1
      let result = try body(&state, now, &events)
      for event in events {
        guard let (ticket, verdict) = AdmissionController.verdict(in: event, of: events) else {
          continue
        }
        if case .task(let task) = state.waiting[ticket] {
          state.waiting[ticket] = nil
          woken.append((task, verdict))
        } else {
          state.waiting[ticket] = .verdict(verdict)
        }
      }
      return result
    }
    for (task, verdict) in woken { task.resume(returning: verdict) }
    if !events.isEmpty { observe(events) }
    return (result, events)
  }

  private static func shadows(of hold: HoldID, in events: [Event]) -> [Denial] {
    events.compactMap { event in
      if case .wouldRefuse(hold, let denial) = event { denial } else { nil }
    }
  }

  private static func verdict(in event: Event, of events: [Event]) -> (Ticket, Verdict)? {
    switch event {
    case .admitted(let ticket, let grant):
      (ticket, .held(grant, shadows: shadows(of: grant.hold, in: events)))
    case .denied(let ticket, let denial): (ticket, .denied(denial))
    case .wouldRefuse, .thresholdReached, .exceeded, .limitPause, .overrun: nil
    }
  }
}

extension AdmissionController: HoldKeeper {
  func settle(_ hold: HoldID, with consumption: Consumption) -> Budgets.Settlement {
    end { state, now, events throws(BudgetError) in
      try state.budgets.settle(hold, with: consumption, at: now, events: &events)
    }
  }

  func release(_ hold: HoldID) {
    end { state, now, events throws(BudgetError) in
      try state.budgets.release(hold, at: now, events: &events)
    }
  }

  func abandon(_ hold: HoldID) {
    _ = end { state, now, events throws(BudgetError) in
      try state.budgets.abandon(hold, at: now, events: &events)
    }
  }

  /// A `Hold` is ended once by construction: that its id is unknown is a defect of ours, and going
  /// on would count money wrong.
  private func end<Result: Sendable>(
    _ body: (inout State, Timestamp, inout [Event]) throws(BudgetError) -> Result
  ) -> Result {
    do {
      return try change(body)
    } catch {
      preconditionFailure("a hold was ended twice: \(error)")
    }
  }
}
