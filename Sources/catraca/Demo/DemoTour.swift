internal import EventLoop
internal import HTTP
internal import JSON
internal import Ledger
internal import Upstream

/// The requests of the demonstration: an answer, a stream, and then answers until the budget
/// refuses one.
struct DemoTour {
  private let house: DemoHouse

  init(_ house: DemoHouse) {
    self.house = house
  }

  /// More requests than the budget can pay for.
  private static let requestsAtMost = 60

  /// Takes the tour and opens what it recorded.
  func run() async throws -> LedgerReader {
    say("A stand-in provider listens on \(house.providerAddress), the proxy on \(house.baseURL).")
    say("The dashboard is at \(house.dashboardURL).")
    say("The client 'acme' may use \(DemoFiles.budgetTokens) tokens a month.\n")
    let group = try EventLoopGroup(count: 1)
    defer { group.stop() }
    let loop = group.loops[0]
    try await Task(executorPreference: loop) {
      let client = UpstreamClient(on: loop)
      defer { client.close() }
      for number in 1...DemoTour.requestsAtMost {
        guard try await ask(number, through: client) else { return }
      }
    }.value
    return try LedgerReader(at: .sqlite(path: house.ledgerPath))
  }

  /// Sends one request and prints its result.
  ///
  /// - Returns: Whether it was answered; false once the budget refused it.
  private func ask(_ number: Int, through client: UpstreamClient) async throws -> Bool {
    let isStream = number == 2
    var fields = HeaderFields()
    try fields.append(.authorization, "Bearer \(house.key)")
    try fields.append(.contentType, "application/json")
    let body = #"""
      {"model":"gpt-4o-mini","messages":[{"role":"user","content":"What is a turnstile?"}],\#
      "max_completion_tokens":100,"stream":\#(isStream)}
      """#
    let transfer = try client.start(
      UpstreamRequest(
        url: "\(house.baseURL)/chat/completions", method: .post, fields: fields,
        body: .bytes(Array(body.utf8)), connectTimeout: .seconds(5), idleTimeout: .seconds(30)))
    let head = try await transfer.head()
    var answer: [UInt8] = []
    var piece: [UInt8] = []
    while try await transfer.next(into: &piece) { answer += piece }
    let what = isStream ? "a stream" : "an answer"
    guard head.status == 200 else {
      say("\nrequest \(number): \(head.status), and the app reads:\n")
      say(String(decoding: answer, as: UTF8.self))
      return false
    }
    let left = head.fields.first("x-catraca-remaining-tokens") ?? "?"
    let cost = head.fields.first("x-catraca-cost-usd").map { ", \($0) USD" } ?? ""
    say("request \(number): 200, \(what) of \(answer.count) bytes\(cost), \(left) tokens left")
    return true
  }

  /// The rows that the tour has left in the ledger.
  static func usageTable(_ reader: LedgerReader) throws -> Table {
    var table = Table(
      [
        .init("key", "model"), .init("requests", "requests"), .init("input", "input tokens"),
        .init("output", "output tokens"), .init("cost_usd", "cost USD"), .init("cost", "cost BRL"),
      ], emptyText: "nothing")
    for total in try reader.usageTotals(of: UsageQuery(by: .model)) {
      table.append([
        .optional(total.key), .integer(total.requests), .integer(total.inputTokens),
        .integer(total.outputTokens), .amount(nanoUnits: total.costNanoUSD), .money(total.cost),
      ])
    }
    return table
  }

  private func say(_ line: String) {
    StandardStream.output.write("\(line)\n")
  }
}
