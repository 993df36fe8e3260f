import Money
import Pricing
import Testing

@Suite("A client's own prices and markup: what it is charged beside what the provider charges")
struct MarkedBillTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var own: [PricedQuantity: String]
    var markup: String
    /// In nano-dollars.
    var provider: Int64
    var charged: Int64
    /// In nano-reais, at 5.40.
    var billed: Int64
    var testDescription: String { name }
  }

  /// 33 tokens of input, 10 of them cached, and 7 of output: 23 × 150 + 10 × 75 + 7 × 600 nano.
  static let usage = Usage(inputTokens: 33, cachedInputTokens: 10, outputTokens: 7)

  static let cases: [Case] = [
    Case(
      name: "neither", own: [:], markup: "0%", provider: 8_400, charged: 8_400, billed: 45_360),
    Case(
      name: "a markup", own: [:], markup: "20%", provider: 8_400, charged: 10_080,
      billed: 54_432),
    Case(
      name: "a markup that makes fractions", own: [:], markup: "0.01%", provider: 8_400,
      // 8,400.84 and 45,364.536.
      charged: 8_401, billed: 45_365),
    Case(
      name: "a negative one", own: [:], markup: "-5%", provider: 8_400, charged: 7_980,
      billed: 43_092),
    Case(
      name: "own prices", own: [.output: "1.2"], markup: "0%", provider: 8_400, charged: 12_600,
      billed: 68_040),
    Case(
      name: "own prices and a markup", own: [.output: "1.2"], markup: "20%", provider: 8_400,
      charged: 15_120, billed: 81_648),
    Case(
      name: "own prices of nothing", own: [.input: "0", .cachedInput: "0", .output: "0"],
      markup: "20%", provider: 8_400, charged: 0, billed: 0),
  ]

  private static func bill(_ given: Case) throws -> Bill {
    var model = Fixtures.model("gpt-4o-mini")
    if !given.own.isEmpty {
      model = model.overridden(
        by: try PriceOverride(label: "acme/1", prices: Fixtures.table(given.own)))
    }
    let usage = try #require(usage)
    return Bill(
      usage, by: try model.tariff(in: Fixtures.context(), inputTokens: usage.inputTokens),
      markup: try #require(Markup(given.markup)))
  }

  @Test("Both are rounded up once, and both are computed again from the record", arguments: cases)
  func costs(given: Case) throws {
    let bill = try Self.bill(given)
    for bill in [bill, try Bill(record: bill.record, of: bill.usage)] {
      let cost = try bill.cost()
      #expect(cost.provider == Money(nanoUnits: given.provider, currency: .usd))
      #expect(cost.nanoUSD == Money(nanoUnits: given.charged, currency: .usd))
      #expect(cost.billed == Money(nanoUnits: given.billed, currency: Fixtures.brl))
      #expect(bill.lines.reduce(.zero) { $0 + $1.cost } == cost.exact)
      let ofProvider = bill.providerLines.reduce(ExactAmount.zero) { $0 + $1.cost }
      #expect(ofProvider.roundedUp(in: .usd, rate: .one) == cost.provider)
      #expect(bill.chargesAsTheProvider == (given.own.isEmpty && bill.markup == .none))
    }
    #expect(Bill.markup(ofRecord: bill.record) == bill.markup)
  }

  @Test("Without either, version and record are the tariff's; versions never name a markup")
  func versions() throws {
    var versions: Set<String> = []
    for given in Self.cases {
      let bill = try Self.bill(given)
      let tariff = bill.items[0].tariff
      #expect((bill.version == tariff.version) == (bill.markup == .none))
      #expect((bill.record == tariff.record) == (bill.markup == .none))
      #expect(!bill.version.contains("%"))
      #expect(bill.version.hasPrefix(tariff.version))
      versions.insert(bill.version)
    }
    #expect(versions.count == Self.cases.count)
  }

  @Test("A bill of several tariffs has one markup, and is rounded once")
  func several() throws {
    let usage = try #require(Usage(inputTokens: 1))
    let tariffs = try ["gpt-4o-mini", "sol"].map {
      try Fixtures.model($0).tariff(in: Fixtures.context(), inputTokens: 1)
    }
    let markup = try #require(Markup("0.01%"))
    let items = tariffs.map { Bill.Item(usage, by: $0) }
    let bill = try #require(Bill(items, markup: markup))
    // 150 and 4,000 nano-dollars are 4,150.415 with the markup: 151 and 4,001 would be one more.
    #expect(try bill.cost().nanoUSD.nanoUnits == 4_151)
    #expect(try bill.cost().provider.nanoUnits == 4_150)
    let read = try Bill(record: bill.record, of: bill.usage)
    #expect(read.markup == markup)
    #expect(try read.cost() == bill.cost())
  }

  @Test("What only the client's own prices can price costs the provider the same")
  func onlyOwn() throws {
    let own = try PriceOverride(label: "acme/1", prices: Fixtures.table([.character: "15"]))
    let tariff = try Fixtures.model("whisper").overridden(by: own).tariff(
      in: Fixtures.context(), inputTokens: 0)
    let usage = try #require(Usage(characters: 1_000))
    let cost = try Bill(usage, by: tariff, markup: try #require(Markup("100%"))).cost()
    #expect(cost.provider.nanoUnits == 15_000_000 && cost.nanoUSD.nanoUnits == 30_000_000)
  }

  @Test("A hold with a markup is that of the marked-up prices")
  func bound() throws {
    let request = BoundRequest(textInputTokens: 1_000, outputLimit: 10)
    let bound = try Fixtures.model("gpt-4o-mini").bound(of: request, in: Fixtures.context())
    let markup = try #require(Markup("-5%"))
    let marked = bound.with(markup)
    #expect(marked.cost(output: 10) == bound.cost(output: 10).with(markup))
    #expect(marked.tokens(output: 10) == bound.tokens(output: 10))
    #expect(bound.with(.none) == bound)
  }
}
