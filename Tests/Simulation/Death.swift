import Budgets
import EventLoop
import Ledger
import Money
import Time

/// Where a request may be when its process dies: each time that it waits for somebody.
enum DeathMoment: String, CaseIterable {
  case waiting = "in the queue"
  case opening = "with its intent queued"
  case forwarded = "at the provider"
  case ending = "with its end queued"
  /// The ledger has it, and the request hasn't heard.
  case unheard = "written and untold"
  /// Of the ledger.
  case writing = "in the midst of a write"
}

extension World {
  /// Begins a process: what is left of the last one is brought to its end, then budgets go on
  /// from what is recorded.
  func start() throws {
    queue = CommandQueue()
    health = Lock(LedgerHealth())
    writer = try LedgerWriter(
      options, queue: queue, health: health, bells: Bells())
    let reader = try LedgerReader(at: options.location, fileSystem: disk.name)
    state = try BudgetState(definitions, policy: World.policy)
    let resets = try reader.budgetResets(after: 0)
    let earliest = BudgetState.earliestClock(after: now)
    let uses = try reader.budgetAccounts(liveAt: earliest).compactMap(\.recordedUse)
    state.restore(uses, after: resets, at: now)
    controls = try reader.budgetControls()
    latestReset = resets.last?.id ?? 0
    var events: [Event] = []
    state.apply(
      BudgetControls(controls: controls, resets: []), replacing: [], at: now, events: &events)
    for missed in state.restore(try reader.reportedAlerts(liveAt: earliest), at: now) {
      queue.submit(Alert(missed))
      count("alert after a death")
    }
  }

  /// The process dies, by a signal or with the whole machine, and another begins.
  func die() throws {
    let losesPower = options.durability == .power && Bool.random(using: &random)
    if losesPower { disk.losePower() } else { disk.kill() }
    count(losesPower ? "lost power" : "killed")
    countMoments()
    // Only now: closing must find a disk that takes nothing more.
    writer = nil
    requests = [:]
    waiting = [:]
    answers.withLock { $0 = [] }
    disk.empty()
    diskIsFull = false
    slowUntil = nil
    disk.revive()
    try start()
    try check()
  }

  private func countMoments() {
    var moments: Set<DeathMoment> = Set(
      requests.values.map { request in
        switch request.stage {
        case .opening: .opening
        case .forwarded: .forwarded
        case .ending: .ending
        }
      })
    if !waiting.isEmpty { moments.insert(.waiting) }
    if answers.withLock({ !$0.isEmpty }) { moments.insert(.unheard) }
    if diedWriting { moments.insert(.writing) }
    diedWriting = false
    for moment in moments { count("died \(moment.rawValue)") }
  }

  /// Compares the ledger, in which nothing is in flight, with what was promised.
  private func check() throws {
    let reader = try LedgerReader(at: options.location, fileSystem: disk.name)
    var rows: [RequestID: UsageRow] = [:]
    for row in try reader.usageRows(limit: .max) {
      if rows.updateValue(row, forKey: row.requestID) != nil {
        mistakes.append("\(row.requestID) has two rows")
      }
    }
    try checkObjects(reader, shownBy: rows.values)
    for (id, owed) in promises {
      let row = rows.removeValue(forKey: id)
      if !owed.promise.isKept(by: row, estimate: owed.estimate) {
        mistakes.append("\(id): \(owed.promise), but there is \(row.map { "\($0)" } ?? "no row")")
      }
      // From here on it must stay as it is.
      promises[id]?.promise = row.map { Promise.ended($0) } ?? Promise.none
    }
    if !rows.isEmpty { mistakes.append("\(rows.count) rows of nobody") }
    if try !reader.openIntents().isEmpty { mistakes.append("something is still in flight") }
    mistakes += try reader.audit(recomputing: World.recompute).map { "audit: \($0)" }
    try checkLimits(reader)
    writer?.carryOut(queue.takeAtOnce())
    // An administrator that resets, raises or changes a limit has percentages told again, or not
    // at all.
    if !isAdministered { try checkAlerts(reader) }
    note("\(rows.count) \(promises.count)")
  }

  /// Objects are recorded with the rows of the requests that have shown them, and no others are.
  private func checkObjects(
    _ reader: LedgerReader, shownBy rows: some Sequence<UsageRow>
  ) throws {
    let shown = Set(rows.flatMap { World.objects(shownBy: $0) })
    let recorded = Set(try reader.objects(limit: .max))
    if shown != recorded {
      let (missing, others) = (shown.subtracting(recorded), recorded.subtracting(shown))
      mistakes.append("objects that are missing: \(missing), that nobody has shown: \(others)")
    }
    if !shown.isEmpty { count("objects after a death") }
  }

  /// Every percentage that is reached was told, and none twice in a window.
  private func checkAlerts(_ reader: LedgerReader) throws {
    var told: Set<String> = []
    for entry in try reader.alertLog(where: [:], LogRange(limit: .max)) {
      let alert = entry.content.alert
      guard let percent = alert.percent else { continue }
      let name = "\(percent) \(alert.budgetID) \(alert.subject) \(alert.window.start.rfc3339)"
      if !told.insert(name).inserted { mistakes.append("\(name) was told twice") }
    }
    for definition in definitions {
      for status in try state.subjects(of: definition.id, at: now) {
        for percent in definition.alerts where status.share?.reaches(percent: percent) ?? false {
          let name =
            "\(percent) \(definition.id) \(status.subject) \(status.window.start.rfc3339)"
          if !told.contains(name) { mistakes.append("\(name) was never told") }
        }
      }
    }
  }

  /// No window of a hard budget has more in it than was allowed at some time of it.
  private func checkLimits(_ reader: LedgerReader) throws {
    mistakes += try reader.budgetAccounts(liveAt: nil).compactMap(ceilings.excess)
  }
}
