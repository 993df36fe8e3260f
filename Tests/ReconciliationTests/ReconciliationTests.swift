import Ledger
import Money
import Pricing
import Testing
import Time

@testable import Reconciliation

@Suite struct ReconciliationTests {
  private static let day = CivilDate("2026-11-22")!
  /// So long after that all is reported.
  private static let later = CivilDate("2026-12-01")!
  private static let bucket = #""object":"bucket","start_time":1795305600,"end_time":1795392000"#

  private static func page(_ results: String, more: String = "") throws(UsagePage.Mistake)
    -> UsagePage
  {
    try UsagePage(
      Array(#"{"object":"page","data":[{\#(bucket),"results":[\#(results)]}]\#(more)}"#.utf8))
  }

  // MARK: Pages

  @Test("A result is read with what is known of it, and the rest is passed over")
  func usage() throws {
    let page = try Self.page(
      #"""
      {"object":"organization.usage.completions.result","input_tokens":1000,"output_tokens":500,
       "input_cached_tokens":800,"num_model_requests":5,"model":"gpt-4o-mini-2024-07-18",
       "project_id":null,"batch":null,"later":{"deep":[1,{"a":"]}"}]}},
      {"characters":7,"num_model_requests":1,"model":"tts-1"},{"seconds":3,"images":null}
      """#)
    #expect(page.next == nil && page.results.map(\.day) == [Self.day, Self.day, Self.day])
    #expect(page.results.map(\.model) == ["gpt-4o-mini-2024-07-18", "tts-1", nil])
    #expect(
      page.results.map(\.counts) == [
        [.inputTokens: 1000, .outputTokens: 500, .cachedTokens: 800, .requests: 5],
        [.characters: 7, .requests: 1], [.seconds: 3],
      ])
  }

  static let amounts: [(value: String, nanoUSD: Int64?)] = [
    ("0.06", 60_000_000), ("1.5e-05", 15_000), ("0.1234567891234567891234", 123_456_789),
    (#""0.06""#, 60_000_000), ("-0.5", -500_000_000), ("1e300", nil), (#""six""#, nil),
    ("null", nil), ("{}", nil),
  ]

  @Test("Costs are read by their digits", arguments: amounts)
  func costs(_ value: String, _ nanoUSD: Int64?) {
    let amount = #"{"value" : \#(value) ,"currency":"usd"}"#
    let result = #"{"amount" : \#(amount),"line_item":"gpt-4o, input"}"#
    let read = try? Self.page(result).results.first
    #expect(read?.counts[.cost] == nanoUSD)
    if nanoUSD != nil { #expect(read?.lineItem == "gpt-4o, input") }
  }

  static let wrong = [
    "", "[]", "{}", #"{"data":{}}"#, #"{"data":[{"results":[]}]}"#,
    #"{"data":[{"start_time":1795305600}]}"#, #"{"data":[{"start_time":-1,"results":[]}]}"#,
    #"{"data":[{"start_time":1795305600,"results":[{"input_tokens":-1}]}]}"#,
    #"{"data":[{"start_time":1795305600,"results":[{"input_tokens":1.5}]}]}"#,
    #"{"data":[{"start_time":1795305600,"results":[{"input_tokens":"7"}]}]}"#,
    #"{"data":[{"start_time":1795305600,"results":[{"amount":{"value":1,"currency":"eur"}}]}]}"#,
    #"{"data":[],"has_more":true}"#,
  ]

  @Test("What is no page is a mistake", arguments: wrong)
  func wrongPages(_ text: String) {
    #expect(throws: UsagePage.Mistake.self) { try UsagePage(Array(text.utf8)) }
  }

  @Test("A page says by what the next is asked for")
  func paging() throws {
    #expect(try Self.page("", more: #","has_more":true,"next_page":"AAA=""#).next == "AAA=")
    #expect(try Self.page("", more: #","has_more":false,"next_page":null"#).next == nil)
  }

  @Test("A large page is read whole")
  func largePages() throws {
    let result = #"{"num_model_requests":1,"model":"m"}"#
    let results = Array(repeating: result, count: 5_000).joined(separator: ",")
    #expect(try Self.page(results).results.count == 5_000)
  }

  // MARK: Comparing

  private static func figures(
    _ counts: [(String?, ReconciledQuantity, Int64)]
  ) -> ReconciledFigures {
    var figures = ReconciledFigures()
    for (model, quantity, count) in counts {
      figures.add(count, of: quantity, ReconciledSubject(day: day, model: model))
    }
    return figures
  }

  static let comparisons: [(ours: Int64, theirs: Int64, threshold: Int64, differs: Bool)] = [
    (100, 100, 0, false), (101, 100, 1, false), (102, 100, 1, true), (99, 100, 0, true),
    (1_001, 1_000, 0, true), (0, 1, 100, false), (0, 1, 99, true), (1, 0, 99, true),
    (0, 0, 0, false), (.max, 1, 1_000, true), (.max, .max - 1, 0, true),
  ]

  @Test("A figure differs where it does by more than the threshold", arguments: comparisons)
  func thresholds(_ ours: Int64, _ theirs: Int64, _ threshold: Int64, _ differs: Bool) {
    let comparison = UsageComparison(
      ours: Self.figures([("m", .inputTokens, ours)]),
      theirs: Self.figures([("m", .inputTokens, theirs)]), threshold: threshold, today: Self.later)
    #expect(comparison.differences.count == (differs ? 1 : 0))
  }

  @Test("Only what the provider reports of a model is compared, and its absence")
  func quantities() {
    let comparison = UsageComparison(
      ours: Self.figures([
        ("whisper", .inputTokens, 50), ("whisper", .seconds, 10), ("whisper", .requests, 1),
        ("lost", .requests, 2), ("lost", .inputTokens, 9), ("free", .requests, 0),
      ]),
      theirs: Self.figures([
        ("whisper", .seconds, 10), ("whisper", .requests, 1), ("other", .requests, 3),
      ]), threshold: 1, today: Self.later)
    #expect(comparison.figures.count == 4)
    #expect(comparison.differences.map(\.figure.subject.model) == ["lost", "other"])
    #expect(comparison.differences.map(\.figure.quantity) == [.requests, .requests])
  }

  @Test("Costs may be rounded up once a request")
  func rounding() {
    for (ours, differs) in [(Int64(3), false), (4, true)] {
      let comparison = UsageComparison(
        ours: Self.figures([(nil, .cost, ours), (nil, .requests, 2)]),
        theirs: Self.figures([(nil, .cost, 1)]), threshold: 0, today: Self.later)
      #expect(comparison.differences.isEmpty == !differs)
    }
  }

  // MARK: Models

  private static let models: ReconciledModels = {
    let file = ProviderPrices(
      provider: "openai", source: "https://example.com", asOf: day, file: "prices.yaml",
      models: ["gpt-4o-mini", "gpt-4o", "ft:gpt-4o"].map { name in
        ModelDeclaration(
          name: name, aliases: name == "gpt-4o-mini" ? ["gpt-4o-mini-2024-07-18"] : [],
          operation: .chat,
          prices: [
            DatedPrices(
              base: SteppedPrices(PriceTable([.input: try! FixedDecimal(decimal: "1")])))
          ])
      })
    return ReconciledModels(
      book: try! PriceBook(providers: [file], rates: .usdOnly), provider: "openai")
  }()

  static let names: [(name: String, known: String)] = [
    ("gpt-4o-mini", "gpt-4o-mini"), ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
    ("gpt-4o-2099-01-31", "gpt-4o"), ("gpt-4o-2099-99-99", "gpt-4o-2099-99-99"),
    ("ft:gpt-4o:org:name:id", "ft:gpt-4o"), ("else", "else"), ("", ""),
  ]

  @Test("A snapshot is the model that it is of", arguments: names)
  func modelNames(_ name: String, _ known: String) {
    #expect(Self.models.name(of: name) == known)
  }

  @Test("A bill says what models cost only where each line is for one")
  func lineItems() {
    func report(_ items: [String]) -> ReconciledFigures {
      var answer = OrganizationReport.Answer()
      answer.costs = items.map {
        UsagePage.Result(day: Self.day, model: nil, lineItem: $0, counts: [.cost: 10])
      }
      return ReconciledFigures(answer, Self.models)
    }
    let all = ReconciledSubject(day: Self.day, model: nil)
    let model = ReconciledSubject(day: Self.day, model: "gpt-4o-mini")
    let known = report(["gpt-4o-mini-2024-07-18, input", "gpt-4o-mini, output"]).counts
    #expect(known[all]?[.cost] == 20 && known[model]?[.cost] == 20)
    let mixed = report(["gpt-4o-mini, input", "web search tool calls"]).counts
    #expect(mixed[all]?[.cost] == 20 && mixed[all]?[.webSearchCost] == 10)
    #expect(mixed[model] == [.inputCost: 10] && mixed[all]?[.containerCost] == 0)
    // Nothing is known of tools where a line is for something else, nor of a model's parts where
    // one of its lines names none.
    let others = report(["gpt-4o-mini, input", "gpt-4o-mini, later", "vector storage"]).counts
    #expect(others[model] == nil && others[all] == [.cost: 30])
  }

  @Test("Rows of a day in UTC are summed up by what their models are called")
  func rows() async throws {
    let ledger = try TemporaryLedger()
    var other = TemporaryLedger.row(4)
    other.provider = "groq"
    try await ledger.record(
      (1...3).map { TemporaryLedger.row($0) } + [TemporaryLedger.row(5, day: "2026-11-23"), other])
    let uses = try ledger.reader().providerUse(
      of: "openai", from: Self.day, through: Self.day)
    #expect(uses.map(\.requests) == [3] && uses.map(\.inputTokens) == [300])
    let figures = ReconciledFigures(uses, Self.models, of: OrganizationReport.Answer()).counts
    let subject = ReconciledSubject(day: Self.day, model: "gpt-4o-mini")
    #expect(figures[subject]?[.outputTokens] == 30)
    let all = figures[ReconciledSubject(day: Self.day, model: nil)]
    #expect(all == [.requests: 3, .cost: 63_000])
  }

  @Test("Calls of tools are summed up by their kinds, by model where the provider says it")
  func toolCalls() async throws {
    let ledger = try TemporaryLedger()
    var rows = (1...4).map { TemporaryLedger.row($0) }
    rows[0].toolCalls = #"{"web_search":2,"file_search":1}"#
    rows[1].toolCalls = #"{"web_search":2,"file_search":1}"#
    rows[2].toolCalls = #"{"code_interpreter":1,"shell":2,"unknown":9}"#
    rows[3].usage = try #require(rows[3].usage.with(calls: 5))
    try await ledger.record(rows)
    let uses = try ledger.reader().providerUse(
      of: "openai", from: Self.day, through: Self.day)
    #expect(uses.map(\.rows) == [1, 1, 2] && uses.map(\.calls) == [5, 0, 0])
    let model = ReconciledSubject(day: Self.day, model: "gpt-4o-mini")
    let all = ReconciledSubject(day: Self.day, model: nil)
    for named in [true, false] {
      var report = OrganizationReport.Answer()
      report.usage = [
        UsagePage.Result(
          day: Self.day, model: named ? "gpt-4o-mini" : nil, lineItem: nil,
          counts: [.webSearches: 4]),
        UsagePage.Result(
          day: Self.day, model: nil, lineItem: nil, counts: [.fileSearches: 2]),
      ]
      let ours = ReconciledFigures(uses, Self.models, of: report)
      let theirs = ReconciledFigures(report, Self.models)
      for figures in [ours, theirs] {
        #expect(figures.counts[named ? model : all]?[.webSearches] == 4)
        #expect(figures.counts[named ? all : model]?[.webSearches] == nil)
        #expect(figures.counts[all]?[.fileSearches] == 2)
      }
      #expect(ours.counts[all]?[.containerSessions] == 3)
      #expect(ours.particulars[all]?.unknownCalls == 5)
      report.unknownParts = ReportPart.usage.filter { $0.group == nil }
      let known = ReconciledFigures(uses, Self.models, of: report).counts[all]
      #expect(known?[.fileSearches] == nil && known?[.containerSessions] == nil)
    }
  }

  @Test("Of a part of tools only its calls are read, and not the requests that made them")
  func partsOfTools() throws {
    let searches = try #require(ReportPart.usage.first { $0.path.hasSuffix("web_search_calls") })
    let page = try UsagePage(
      Array(
        #"""
        {"data":[{\#(Self.bucket),"results":[{"object":"organization.usage.web_searches.result",
        "num_model_requests":2,"num_requests":3,"model":"gpt-4o","context_level":null}]}]}
        """#.utf8), searches.members)
    #expect(page.results.map(\.counts) == [[.webSearches: 3]])
  }

  @Test("Use with clients' own keys is told apart from that of the common account")
  func users() async throws {
    let ledger = try TemporaryLedger()
    var other = TemporaryLedger.row(4)
    other.clientID = "other"
    try await ledger.record([TemporaryLedger.row(1), TemporaryLedger.row(2), other])
    let reader = try ledger.reader()
    func requests(of users: ProviderUsers) throws -> Int64 {
      try reader.providerUse(of: "openai", by: users, from: Self.day, through: Self.day)
        .reduce(0) { $0 + $1.requests }
    }
    #expect(try requests(of: .allExcept([])) == 3)
    #expect(try requests(of: .allExcept(["other"])) == 2)
    #expect(try requests(of: .allExcept(["other", TemporaryLedger.row(1).clientID])) == 0)
    #expect(try requests(of: .only("other")) == 1 && requests(of: .only("none")) == 0)
  }
}
