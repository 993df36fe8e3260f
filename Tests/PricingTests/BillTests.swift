import Money
import Pricing
import Testing

@Suite("A bill of several tariffs is one cost, and can be computed again from its record")
struct BillTests {
  private func tariff(_ model: String, calls: [String] = []) throws -> Tariff {
    var context = Fixtures.context()
    context.calls = calls
    return try Fixtures.model(model).tariff(in: context, inputTokens: 100)
  }

  private func bill() throws -> Bill {
    let first = try #require(Usage(inputTokens: 7, cachedInputTokens: 3, outputTokens: 1))
    let second = try #require(Usage(inputTokens: 1, outputTokens: 1, reasoningTokens: 1))
    let calls = try #require(Usage(calls: 2))
    return try #require(
      Bill([
        Bill.Item(first, by: tariff("gpt-4o-mini")), Bill.Item(second, by: tariff("sol")),
        Bill.Item(calls, by: tariff("sol", calls: ["web_search"])),
      ]))
  }

  @Test("its usage is the sum, and its cost is rounded once")
  func sum() throws {
    let bill = try bill()
    #expect(
      bill.usage
        == Usage(
          inputTokens: 8, cachedInputTokens: 3, outputTokens: 2, reasoningTokens: 1, calls: 2))
    let cost = try bill.cost()
    let parts = try bill.items.map { try $0.tariff.cost(of: $0.usage) }
    #expect(cost.exact == parts.reduce(.zero) { $0 + $1.exact })
    // 4 × 0.15 + 3 × 0.075 + 1 × 0.60 + 1 × 4 + 1 × 20 micro-dollars, and two calls of a cent.
    #expect(cost.nanoUSD.nanoUnits == 1_425 + 24_000 + 20_000_000)
    #expect(cost.billed.nanoUnits == (25_425 + 20_000_000) * 54 / 10)
    #expect(bill.lines.count == 6)
  }

  @Test("a bill read from its record is the same")
  func record() throws {
    let bill = try bill()
    let read = try Bill(record: bill.record, of: bill.usage)
    #expect(read.version == bill.version)
    #expect(try read.cost() == bill.cost())
  }

  @Test("one tariff has its own version and record")
  func single() throws {
    let tariff = try tariff("sol")
    let usage = try #require(Usage(inputTokens: 5))
    let bill = Bill(usage, by: tariff)
    #expect(bill.version == tariff.version)
    #expect(bill.record == tariff.record)
    #expect(try Bill(record: bill.record, of: usage).cost() == tariff.cost(of: usage))
  }

  @Test("the record of another usage is refused")
  func otherUsage() throws {
    let bill = try bill()
    let other = try #require(Usage(inputTokens: 8))
    #expect(throws: PricingError.recordOfOtherUsage) { try Bill(record: bill.record, of: other) }
  }

  @Test("the version tells how the usage is divided")
  func version() throws {
    let bill = try bill()
    let other = try #require(Bill(Array(bill.items.dropLast())))
    #expect(bill.version.hasPrefix(bill.items[0].tariff.version + "+"))
    #expect(other.version != bill.version)
    let swapped = try #require(
      Bill([
        Bill.Item(bill.items[1].usage, by: bill.items[0].tariff),
        Bill.Item(bill.items[0].usage, by: bill.items[1].tariff), bill.items[2],
      ]))
    #expect(swapped.usage == bill.usage)
    #expect(swapped.version != bill.version)
  }

  @Test(
    "what is no record of a bill is refused",
    arguments: [
      "catraca bill 1\n", "catraca bill 1\nitem input=1\n", "catraca bill 1\nitem input=x\n",
      "catraca bill 1\nitem inputs=1\n", "catraca bill 1\nitem input\n", "catraca bill 2\n",
    ])
  func malformed(_ record: String) throws {
    #expect(throws: PricingError.self) { try Bill(record: record, of: .zero) }
  }

  @Test("a call of a kind without a price costs nothing, and is marked")
  func unpricedCall() throws {
    let usage = try #require(Usage(calls: 3))
    let cost = try tariff("sol", calls: ["code_interpreter"]).cost(of: usage)
    #expect(cost.nanoUSD.nanoUnits == 0)
    #expect(cost.unpriced == [.call])
  }
}
