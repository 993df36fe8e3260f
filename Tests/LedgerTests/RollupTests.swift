import Money
import Pricing
import Randomness
import Testing
import Time

@testable import Ledger

@Suite struct RollupTests {
  static let zone = TimeZoneRules(identifier: "America/Sao_Paulo")!
  static let start = Timestamp(rfc3339: "2026-10-30T00:00:00Z")!

  /// Rows of two clients over four days and the end of a month, alike in as many ways as not.
  private static func rows() -> [UsageRow] {
    var random = SplitMix64(seed: 7)
    return (1...300).map { number in
      let client = ["acme", "globex"].randomElement(using: &random)!
      let conversation = ["c1", "c2", "c3", nil, nil].randomElement(using: &random)!
      var row = Sample.row(number, client: client, conversation: conversation)
      row.createdAt = start.advanced(by: .seconds(Int.random(in: 0..<345_600, using: &random)))
      row.day = (client == "acme" ? zone : .utc).civilDate(of: row.createdAt)
      row.keyName = ["web", "app"].randomElement(using: &random)!
      row.userID = ["u1", "u2", nil].randomElement(using: &random)!
      row.agentID = ["a1", nil].randomElement(using: &random)!
      row.model = ["gpt-4o", "gpt-4o-mini"].randomElement(using: &random)!
      row.operation = [.chat, .embedding].randomElement(using: &random)!
      row.isStream = Bool.random(using: &random)
      row.providerCostNanoUSD = Int64.random(in: 0..<300, using: &random)
      row.cost = Money(
        nanoUnits: Int64(number), currency: [.usd, Sample.brl].randomElement(using: &random)!)
      return row
    }
  }

  private static func filled(_ rows: [UsageRow]) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    for batch in stride(from: 0, to: rows.count, by: 16) {
      let entries = rows[batch..<min(batch + 16, rows.count)].map {
        Entry.settle(SettledRequest(row: $0, charges: [], priceRecord: Sample.prices))
      }
      try database.commit(entries)
    }
    return folder
  }

  /// Questions to rollups, and to rows if no rollup has the answer.
  static let conditions: [[UsageColumn: String]] = [
    [:], [.client: "acme"], [.client: "globex", .model: "gpt-4o"], [.model: "gpt-4o-mini"],
    [.conversation: "c2"], [.key: "web", .agent: "a1"], [.user: "u1"],
    [.client: "acme", .user: "u1"],
    [.client: "acme", .conversation: "c1"], [.client: "acme", .key: "web", .agent: "a1"],
    [.client: "nobody"],
  ]

  @Test("The dearest groups alone are the first of all", arguments: conditions)
  func dearest(conditions: [UsageColumn: String]) throws {
    let folder = try RollupTests.filled(RollupTests.rows())
    let reader = try LedgerReader(at: folder.location)
    func lines(_ query: UsageQuery) throws -> [UsageSeries.Line] {
      let sums = try reader.usageTotals(of: query).merged(in: Sample.brl)
      return UsageSeries(sums, denials: [:], by: query.grouping, nil, currency: Sample.brl).lines
    }
    let hour = Timestamp(rfc3339: "2026-10-30T01:00:00Z")!
    for grouping in UsageGrouping.allCases {
      for since in [nil, hour] {
        for isStream in [nil, true] {
          var query = UsageQuery(by: grouping, where: conditions, isStream: isStream, since: since)
          let all = try lines(query)
          query.most = 2
          #expect(try lines(query) == (grouping.isPeriod ? all : Array(all.prefix(2))))
        }
      }
    }
  }

  @Test("Sums are those of the rows, wherever they are read from", arguments: conditions)
  func sumsAreThoseOfTheRows(conditions: [UsageColumn: String]) throws {
    let rows = RollupTests.rows()
    let folder = try RollupTests.filled(rows)
    let reader = try LedgerReader(at: folder.location)
    let zone = conditions[.client] == "acme" ? RollupTests.zone : .utc
    let day = zone.startOfDay(CivilDate(year: 2026, month: 10, day: 31)!)
    let spans: [(Timestamp?, Timestamp?)] = [
      (nil, nil), (day, nil), (day, day.advanced(by: .seconds(172_800))),
      (day.advanced(by: .seconds(1_800)), day.advanced(by: .seconds(90_000))), (day, day),
    ]
    let firsts = RollupTests.firstsOfConversations(rows)
    for grouping in UsageGrouping.allCases {
      for (since, until) in spans {
        for isStream in [nil, true] {
          let query = UsageQuery(
            by: grouping, where: conditions, isStream: isStream, since: since, until: until,
            zone: zone)
          let expected = RollupTests.sums(of: rows, firsts, query)
          #expect(try reader.usageTotals(of: query) == expected, "\(query)")
        }
      }
    }
    #expect(try reader.rollupDifferences() == [])
  }

  @Test(
    "Pages have the rows asked for, newest first, wherever rollups say that there are some",
    arguments: [
      [.model: "gpt-4o"], [.model: "gpt-4o", .operation: "embedding"], [.key: "web"],
      [.client: "acme", .key: "app"], [.provider: "openai"], [.provider: "groq"],
      [.agent: "a1"], [.agent: "a1", .client: "acme"], [.user: "u2", .client: "acme"],
      [.conversation: "c1"],
      [.client: "globex", .model: "gpt-4o", .user: "u1"],
      [.outcome: "interrupted"], [.outcome: "ok", .model: "gpt-4o"],
      [.usageSource: "reported", .client: "acme"], [.usageSource: "estimated", .key: "web"],
    ] as [[UsageColumn: String]])
  func pages(conditions: [UsageColumn: String]) throws {
    var rows = RollupTests.rows()
    for place in stride(from: 0, to: rows.count, by: 7) {
      rows[place].outcome = .interrupted
      rows[place].usageSource = .estimated
    }
    let folder = try RollupTests.filled(rows)
    let reader = try LedgerReader(at: folder.location)
    let noon = RollupTests.start.advanced(by: .seconds(129_600))
    let spans: [(Timestamp?, Timestamp?)] = [
      (nil, nil), (noon, nil), (nil, noon), (noon, noon.advanced(by: .seconds(90_000))),
      (noon, noon),
    ]
    for (since, until) in spans {
      for isStream in [nil, true] {
        let query = UsageQuery(
          by: .day, where: conditions, isStream: isStream, since: since, until: until)
        let expected = rows.filter { RollupTests.isMeant($0, by: query) }
        var found: [UsageRow] = []
        var cursor: LogCursor?
        repeat {
          let page = try reader.usageLog(
            where: conditions, isStream: isStream,
            LogRange(since: since, until: until, cursor: cursor, limit: 7))
          found += page.map(\.content)
          cursor = page.count == 7 ? page.last?.cursor : nil
        } while cursor != nil
        #expect(found.map(\.createdAt) == found.map(\.createdAt).sorted(by: >))
        #expect(Set(found.map(\.requestID)) == Set(expected.map(\.requestID)))
        #expect(found.count == expected.count)
      }
    }
  }

  @Test("Refusals are counted by the same groups, in the client's days")
  func refusalsAreCounted() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    var denials = (1...3).map { Sample.denial($0) }
    // Still the 21st in São Paulo.
    denials[0].createdAt = Timestamp(rfc3339: "2026-11-22T02:59:59Z")!
    denials[1].userID = "u1"
    try database.commit([], UnawaitedRows(denials: denials))
    let reader = try LedgerReader(at: folder.location)
    func counts(
      _ grouping: UsageGrouping, _ conditions: [UsageColumn: String] = [.client: "acme"]
    ) throws -> [String?: Int64] {
      try reader.denialCounts(
        of: UsageQuery(by: grouping, where: conditions, zone: RollupTests.zone))
    }
    #expect(try counts(.day) == ["2026-11-21": 1, "2026-11-22": 2])
    #expect(try counts(.month) == ["2026-11": 3])
    #expect(try counts(.user) == ["u1": 1, nil: 2])
    #expect(try counts(.key) == ["web": 3])
    #expect(try counts(.key, [:]) == ["acme/web": 3])
    #expect(try counts(.provider) == [nil: 3])
    #expect(try counts(.day, [.client: "acme", .user: "u1"]) == ["2026-11-22": 1])
    #expect(try counts(.day, [.provider: "openai"]) == [:])
    #expect(try counts(.day, [.client: "globex"]) == [:])
  }

  // MARK: What is expected

  private static func firstsOfConversations(_ rows: [UsageRow]) -> Set<RequestID> {
    var seen: Set<[String]> = []
    return Set(
      rows.filter { row in
        guard let id = row.conversationID else { return false }
        return seen.insert([row.clientID, "\(row.day.description.prefix(7))", id]).inserted
      }.map(\.requestID))
  }

  private static func sums(
    of rows: [UsageRow], _ firsts: Set<RequestID>, _ query: UsageQuery
  ) -> [UsageTotal] {
    var totals: [[String]: UsageTotal] = [:]
    for row in rows where isMeant(row, by: query) {
      let key = key(of: row, query)
      let currency = row.cost.currency
      let group = [key.map { "+\($0)" } ?? "", currency.code]
      var total =
        totals[group]
        ?? UsageTotal(
          key: key, requests: 0, inputTokens: 0, outputTokens: 0, conversations: 0,
          costNanoUSD: 0, providerCostNanoUSD: 0, cost: Money(nanoUnits: 0, currency: currency))
      total.requests += 1
      total.inputTokens += row.usage.inputTokens
      total.outputTokens += row.usage.outputTokens
      total.conversations += firsts.contains(row.requestID) ? 1 : 0
      total.costNanoUSD += row.costNanoUSD
      total.providerCostNanoUSD += row.providerCostNanoUSD
      total.cost = Money(
        nanoUnits: total.cost.nanoUnits + row.cost.nanoUnits, currency: currency)
      totals[group] = total
    }
    return totals.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }

  private static func isMeant(_ row: UsageRow, by query: UsageQuery) -> Bool {
    if let since = query.since, row.createdAt < since { return false }
    if let until = query.until, row.createdAt >= until { return false }
    if let isStream = query.isStream, row.isStream != isStream { return false }
    return query.conditions.allSatisfy { value($0.key, of: row) == $0.value }
  }

  private static func key(of row: UsageRow, _ query: UsageQuery) -> String? {
    let day = query.conditions[.client] == nil ? query.zone.civilDate(of: row.createdAt) : row.day
    if let period = query.grouping.period(of: day) { return period }
    if query.grouping == .key, query.conditions[.client] == nil {
      return "\(row.clientID)/\(row.keyName)"
    }
    return query.grouping.column.flatMap { value($0, of: row) }
  }

  private static func value(_ column: UsageColumn, of row: UsageRow) -> String? {
    switch column {
    case .client: row.clientID
    case .key: row.keyName
    case .user: row.userID
    case .conversation: row.conversationID
    case .agent: row.agentID
    case .provider: row.provider
    case .model: row.model
    case .operation: row.operation.rawValue
    case .outcome: row.outcome.rawValue
    case .usageSource: row.usageSource.rawValue
    }
  }
}
