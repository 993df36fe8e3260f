import Budgets
import Testing
import Time

@testable import Ledger

@Suite("Alerts and their deliveries")
struct AlertTests {
  private static let window = BudgetWindow(
    start: Sample.account().windowStart, end: Sample.account().windowEnd)

  private func alert(
    _ kind: Alert.Kind = .threshold(percent: 80), subject: String = "client:acme",
    unit: CountedUnit = .tokens, at instant: Timestamp = Sample.admitted
  ) -> Alert {
    Alert(
      kind: kind, budgetID: BudgetID(client: "acme", name: "month"), subject: subject,
      window: Self.window, unit: unit, limitValue: 1_000, used: 810, createdAt: instant)
  }

  private func settlement(_ number: Int, _ alerts: [Alert]) -> SettledRequest {
    var settlement = Sample.settlement(number)
    settlement.charges[0].alerts = alerts
    return settlement
  }

  private func log(_ folder: TemporaryFolder) throws -> [AlertHistory] {
    try LedgerReader(at: folder.location).alertLog(where: [:], LogRange(limit: 100))
      .map(\.content).reversed()
  }

  @Test("They are written with the row that reaches them, once, and the bell is rung")
  func withTheRow() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    let (rings, ringing) = AsyncStream.makeStream(of: Void.self)
    ledger.whenAlertsAreWritten { ringing.yield() }
    try await ledger.open(Sample.intent(1))
    let alerts = [alert(), alert(.threshold(percent: 90), unit: .nanoUnits(Sample.brl))]
    for _ in 0..<2 { try await ledger.settle(settlement(1, alerts)) }
    for await _ in rings { break }
    #expect(try log(folder).map(\.alert) == alerts)
    #expect(Set(try log(folder).map(\.id)).count == 2)
    await ledger.close()
  }

  @Test("Without a row there is none, and one of its own is written soon")
  func alone() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    ledger.record(alert(.exceeded))
    await ledger.close()
    #expect(try log(folder).map(\.alert) == [alert(.exceeded)])
  }

  @Test("While the database can't be written, they wait with their rows, and are written once")
  func spooled() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    try await ledger.open(Sample.intent(1))
    let obstacle = try folder.obstacle()
    let alerts = [alert(unit: .nanoUnits(Sample.brl)), alert(subject: "user:u\"1")]
    try await ledger.settle(settlement(1, alerts))
    ledger.record(alert(.exceeded))
    #expect(ledger.health.spooledEntries == 1)
    let killed = try folder.copy()
    try obstacle.remove()
    await ledger.close()
    #expect(Set(try log(folder).map(\.alert)) == Set(alerts + [alert(.exceeded)]))
    let restarted = try killed.ledger()
    await restarted.close()
    // The next refusal tells of alerts that were only in memory.
    #expect(try log(killed).map(\.alert) == alerts)
  }

  @Test("A start knows what was reported in windows that are open, since the last reset")
  func reported() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    ledger.record(alert(.threshold(percent: 80)))
    ledger.record(alert(.threshold(percent: 90)))
    ledger.record(alert(.exceeded, subject: "user:u1"))
    ledger.record(alert(.exceeded, subject: "user:u2", unit: .conversations))
    await ledger.close()
    let reader = try LedgerReader(at: folder.location)
    func reported(at now: Timestamp) throws -> [String] {
      try reader.reportedAlerts(liveAt: now).map {
        "\($0.budget) \($0.subject) \($0.highestPercent) \($0.hasRefused)"
          + ($0.hasRefusedConversation ? " of a conversation" : "")
      }
    }
    let all = [
      "acme/month client:acme 90 false", "acme/month user:u1 0 true",
      "acme/month user:u2 0 false of a conversation",
    ]
    #expect(try reported(at: Sample.admitted) == all)
    #expect(try reported(at: try #require(Self.window.end)) == [])
    let editor = try LedgerEditor(
      at: folder.location,
      author: LedgerEditor.Author(
        actor: "cli:test", now: Sample.admitted.advanced(by: .seconds(1))))
    let budget = BudgetID(client: "acme", name: "month")
    try editor.reset(
      Target(budget: budget, subject: Subject(text: "user:u1")), use: .keep)
    #expect(try reported(at: Sample.admitted) == [all[0], all[2]])
    try editor.reset(Target(budget: budget), use: .keep)
    #expect(try reported(at: Sample.admitted) == [])
  }

  @Test("A delivery is due until it has arrived, and waits between attempts")
  func deliveries() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    ledger.record(alert())
    await ledger.close()
    let outbox = try AlertOutbox(at: folder.location)
    let now = Sample.admitted
    let recorded = try #require(try outbox.unplanned(limit: 10).first)
    #expect(recorded.alert == alert())
    let text = AlertText(sentence: "80 %", body: "{}")
    try outbox.plan(recorded.number, text, for: ["webhook:0", "smtp"], at: now)
    #expect(try outbox.unplanned(limit: 10).isEmpty)
    let due = try #require(try outbox.due("webhook:0", at: now, limit: 4).first)
    #expect(due.alertID == recorded.id && due.text == text && due.attempts == 0)

    let later = now.advanced(by: .seconds(5))
    try outbox.note(.failed(reason: "500 in 3 ms", nextAttemptAt: later), of: due)
    #expect(try outbox.due("webhook:0", at: now, limit: 4).isEmpty)
    #expect(try outbox.nextAttempt(after: now) == later)
    let again = try #require(try outbox.due("webhook:0", at: later, limit: 4).first)
    #expect(again.attempts == 1 && again.alertID == due.alertID)
    try outbox.note(.delivered(at: later), of: again)
    #expect(try outbox.due("webhook:0", at: later, limit: 4).isEmpty)

    try outbox.giveUpChannels(besides: ["webhook:0"])
    #expect(try outbox.due("smtp", at: later, limit: 4).isEmpty)
    #expect(try outbox.nextAttempt(after: now) == nil)
    #expect(
      try #require(try log(folder).first).deliveries == [
        AlertDeliveryStatus(
          channel: "smtp", state: .failed, attempts: 0,
          lastError: "the channel is not configured any more", deliveredAt: nil),
        AlertDeliveryStatus(
          channel: "webhook:0", state: .delivered, attempts: 2, lastError: nil,
          deliveredAt: later),
      ])
  }

  @Test("Alerts of a budget's subjects are told in one message; those of the client stay alone")
  func together() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    ledger.record(alert())
    for number in 1...3 { ledger.record(alert(subject: "user:u\(number)")) }
    ledger.record(alert(.exceeded, subject: "user:u2"))
    ledger.record(alert(.threshold(percent: 90), subject: "user:u3"))
    await ledger.close()
    let outbox = try AlertOutbox(at: folder.location)
    let budget = BudgetID(client: "acme", name: "month")
    let groups = try outbox.unplannedGroups()
    #expect(
      groups == [
        UnplannedAlerts(budget: budget, areAlone: true, count: 1),
        UnplannedAlerts(budget: budget, areAlone: false, count: 5),
      ])
    #expect(try outbox.unplanned(of: groups[0], limit: 10).map(\.alert) == [alert()])
    #expect(try outbox.unplanned(of: groups[1], limit: 2).count == 2)

    var told: GatheredAlerts?
    let channels = ["webhook:0", "smtp"]
    let text = AlertText(sentence: "5 alerts", body: "{}")
    for _ in 1...2 {
      try outbox.planTogether(of: budget, for: channels, at: Sample.admitted) { gathered in
        #expect(told == nil)
        told = gathered
        return text
      }
    }
    let gathered = try #require(told)
    #expect(gathered.kinds.map(\.percent) == [nil, 90, 80])
    #expect(gathered.kinds.map(\.count) == [1, 1, 3] && gathered.count == 5)
    #expect(
      gathered.named.map(\.alert.subject) == ["user:u2", "user:u3"] + (1...3).map { "user:u\($0)" })
    #expect(gathered.lead == gathered.named[0])
    let due = try outbox.due("smtp", at: Sample.admitted, limit: 9)
    #expect(due.map(\.alertID) == [gathered.lead.id] && due.map(\.text) == [text])
    #expect(try outbox.unplannedGroups() == [groups[0]])
    let states = try log(folder).map { $0.deliveries.map(\.state.rawValue) }
    #expect(states[0] == [])
    #expect(states[1...].count { $0 == ["gathered", "gathered"] } == 4)
    #expect(states[1...].count { $0 == ["pending", "pending"] } == 1)
  }

  @Test("An alert that nobody is told of is done with")
  func noChannel() async throws {
    let folder = TemporaryFolder()
    let ledger = try folder.ledger()
    ledger.record(alert())
    await ledger.close()
    let outbox = try AlertOutbox(at: folder.location)
    let recorded = try #require(try outbox.unplanned(limit: 10).first)
    try outbox.plan(
      recorded.number, AlertText(sentence: "", body: "{}"), for: [], at: Sample.admitted)
    #expect(try outbox.unplanned(limit: 10).isEmpty)
    #expect(try log(folder).map(\.deliveries) == [[]])
  }
}
