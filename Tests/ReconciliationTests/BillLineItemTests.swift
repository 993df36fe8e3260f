import Ledger
import Money
import Pricing
import Testing
import Time

@testable import Reconciliation

@Suite("Costs by the lines of a provider's bill") struct BillLineItemTests {
  // MARK: Names

  struct Name: CustomTestStringConvertible {
    let text: String
    var model: String?
    var charge: ReconciledQuantity?
    var rate = BillLineItem.Rate.usual

    var testDescription: String { text }
  }

  static let names = [
    Name(text: "gpt-4o-2024-08-06, input", model: "gpt-4o-2024-08-06", charge: .inputCost),
    Name(text: "gpt-4o, cached input", model: "gpt-4o", charge: .cachedInputCost),
    Name(text: "gpt-4o, Output", model: "gpt-4o", charge: .outputCost),
    Name(text: "gpt-6-sol, cache writes", model: "gpt-6-sol", charge: .cacheWriteCost),
    Name(
      text: "priority | gpt-5.6-sol, output, long context", model: "gpt-5.6-sol",
      charge: .outputCost, rate: .dear),
    Name(
      text: "gpt-5.6-sol, input, long context", model: "gpt-5.6-sol", charge: .inputCost,
      rate: .dear),
    Name(text: "flex | gpt-5.6-sol, input", model: "gpt-5.6-sol", charge: .inputCost, rate: .cheap),
    Name(text: "gpt-image-2 image, output", model: "gpt-image-2", charge: .imageOutputCost),
    Name(text: "gpt-image-2 text, cached input", model: "gpt-image-2", charge: .cachedInputCost),
    Name(text: "gpt-audio-mini audio, input", model: "gpt-audio-mini", charge: .audioInputCost),
    Name(text: "gpt-realtime, audio output", model: "gpt-realtime", charge: .audioOutputCost),
    Name(text: "whisper-1, audio", model: "whisper-1", charge: .mediaCost),
    Name(text: "gpt-4o", model: "gpt-4o"), Name(text: "gpt-4o, later", model: "gpt-4o"),
    Name(text: "web search tool calls", charge: .webSearchCost),
    Name(text: "web search tool calls | gpt-4o", charge: .webSearchCost),
    Name(text: "file search tool calls", charge: .fileSearchCost),
    Name(text: "code interpreter sessions", charge: .containerCost),
    Name(text: "file search storage", model: "file search storage"), Name(text: ""),
    Name(text: " | , "),
  ]

  @Test("A line's name says its model, what it charges and at which rate", arguments: names)
  func reads(_ name: Name) {
    let item = BillLineItem(name.text)
    #expect(item.model == name.model && item.charge == name.charge && item.rate == name.rate)
  }

  // MARK: Dividing

  private static let day = CivilDate("2026-11-22")!

  private static func decimal(_ text: String) throws -> FixedDecimal {
    try FixedDecimal(decimal: text)
  }

  /// A book of a chat model with two surcharges, a model that draws, and one of sound with a
  /// minimum of 10 seconds.
  private static func book() throws -> PriceBook {
    func model(
      _ name: String, _ prices: [PricedQuantity: String], minimumSeconds: Int64 = 0
    ) throws -> ModelDeclaration {
      ModelDeclaration(
        name: name, operation: .chat, minimumSeconds: minimumSeconds,
        prices: [DatedPrices(base: SteppedPrices(PriceTable(try prices.mapValues(decimal))))])
    }
    let file = ProviderPrices(
      provider: "openai", source: "https://example.com", asOf: day, file: "prices.yaml",
      surcharges: ["web_search": try decimal("0.01"), "file_search": try decimal("0.0025")],
      models: [
        try model("chat", [.input: "1", .cachedInput: "0.5", .output: "4"]),
        try model("painter", [.input: "2", .imageOutput: "8"]),
        try model("sound", [.minute: "0.006"], minimumSeconds: 10),
      ])
    return try PriceBook(providers: [file], rates: .usdOnly)
  }

  private static func item(
    _ model: String, _ usage: Usage?, calls: [String] = []
  ) throws -> Bill.Item {
    let known = try #require(try book().model(model, of: "openai"))
    let tariff = try known.tariff(
      in: PricingContext(instant: TemporaryLedger.now, calls: calls), inputTokens: 0)
    return Bill.Item(try #require(usage), by: tariff)
  }

  /// Records rows with these bills and returns the figures of both sides.
  private static func figures(
    _ bills: [(bill: Bill, toolCalls: String?)], theirs lines: [(String, Int64)]
  ) async throws -> (ours: ReconciledFigures, theirs: ReconciledFigures) {
    let rows = try bills.enumerated().map { number, entry in
      var row = TemporaryLedger.row(number + 1)
      row.model = entry.bill.items[0].tariff.origin.model
      row.responseModel = nil
      row.usage = entry.bill.usage
      row.toolCalls = entry.toolCalls
      row.priceVersion = entry.bill.version
      row.providerCostNanoUSD = try entry.bill.cost().provider.nanoUnits
      return (row: row, priceRecord: Optional(entry.bill.record))
    }
    let ledger = try TemporaryLedger()
    try await ledger.record(rows)
    let reader = try ledger.reader()
    let uses = try reader.providerUse(of: "openai", from: day, through: day)
    let records = try reader.priceRecords(versions: Set(uses.compactMap(\.priceVersion)))
    let models = ReconciledModels(book: try book(), provider: "openai")
    var answer = OrganizationReport.Answer()
    answer.usage = [
      UsagePage.Result(day: day, model: "chat", lineItem: nil, counts: [.webSearches: 2])
    ]
    answer.costs = lines.map {
      UsagePage.Result(day: day, model: nil, lineItem: $0.0, counts: [.cost: $0.1])
    }
    return (
      ReconciledFigures(uses, priceRecords: records, models, of: answer),
      ReconciledFigures(answer, models)
    )
  }

  private static func counts(_ figures: ReconciledFigures, _ model: String?) -> ReconciledCounts {
    figures.counts[ReconciledSubject(day: day, model: model)] ?? [:]
  }

  /// A response that searched and drew: 100 tokens in, 40 of them cached, 10 out, and a drawing of
  /// 50 and 30 tokens.
  private static func drawing() throws -> Bill {
    let tools = { Usage.zero.with(calls: $0) }
    return try #require(
      Bill([
        try item("chat", Usage(inputTokens: 100, cachedInputTokens: 40, outputTokens: 10)),
        try item("painter", Usage(inputTokens: 50, outputTokens: 30, imageOutputTokens: 30)),
        try item("chat", tools(2), calls: ["web_search"]),
        try item("chat", tools(1), calls: ["file_search"]),
      ]))
  }

  @Test("Rows cost by model and kind what the lines of the bill say, to the nano-unit")
  func agrees() async throws {
    let calls = #"{"web_search":2,"file_search":1}"#
    let plain = Bill(
      try #require(Usage(inputTokens: 7, outputTokens: 3)),
      by: try Self.item("chat", .zero).tariff)
    let sound = Bill(
      try #require(Usage(audioMilliseconds: 1_000)),
      by: try Self.item("sound", .zero).tariff)
    let lines: [(String, Int64)] = [
      ("chat, input", 127_000), ("chat, cached input", 40_000), ("chat, output", 92_000),
      ("painter text, input", 200_000), ("painter image, output", 480_000),
      // Two rows of a second each, of which the provider bills ten.
      ("sound, audio", 2_000_000), ("web search tool calls", 40_000_000),
      ("file search tool calls", 5_000_000),
    ]
    let (ours, theirs) = try await Self.figures(
      [
        (try Self.drawing(), calls), (try Self.drawing(), calls), (plain, nil), (sound, nil),
        (sound, nil),
      ], theirs: lines)
    let comparison = UsageComparison(
      ours: ours, theirs: theirs, threshold: 0, today: CivilDate("2026-12-01")!)
    let parts = comparison.figures.filter { $0.quantity.isCost && $0.quantity != .cost }
    #expect(parts.count == lines.count && parts.allSatisfy { $0.difference == 0 }, "\(parts)")
    // The tool's tokens aren't the answering model's.
    #expect(Self.counts(ours, "chat")[.inputTokens] == 207)
    #expect(Self.counts(ours, "painter")[.outputTokens] == 60)
  }

  @Test("A cost under another line, at another rate and of a tool each name their reason")
  func reasons() async throws {
    let bills = [(try Self.drawing(), Optional(#"{"web_search":2,"file_search":1}"#))]
    func reasons(_ lines: [(String, Int64)]) async throws -> [ReconciledQuantity: DifferenceReason]
    {
      let (ours, theirs) = try await Self.figures(bills, theirs: lines)
      let found = UsageComparison(
        ours: ours, theirs: theirs, threshold: 1, today: CivilDate("2026-12-01")!
      ).differences.filter { $0.figure.quantity != .cost && $0.figure.quantity.isCost }
      return Dictionary(uniqueKeysWithValues: found.map { ($0.figure.quantity, $0.reason) })
    }
    let tools: [(String, Int64)] = [
      ("web search tool calls", 20_000_000), ("file search tool calls", 2_500_000),
    ]
    // 60,000 and 20,000 nano-dollars of input, all billed as one.
    #expect(
      try await reasons([("chat, input", 80_000), ("chat, output", 40_000)] + tools)
        == [.inputCost: .otherLine, .cachedInputCost: .otherLine])
    #expect(
      try await reasons([
        ("chat, input", 60_000), ("chat, cached input", 20_000), ("chat, output", 20_000),
        ("priority | chat, output", 37_000), ("web search tool calls", 23_000_000),
        ("file search tool calls", 2_500_000),
      ]) == [.outputCost: .priorityPrice, .webSearchCost: .toolPrice])
    #expect(try await reasons([("chat", 120_000)] + tools) == [:])
  }
}
