import Money
import Pricing
import Testing
import Time

@testable import Ledger

@Suite struct PriceOverrideTests {
  private let folder = TemporaryFolder()

  private func editor() throws -> LedgerEditor {
    try LedgerEditor(
      at: folder.location,
      author: LedgerEditor.Author(actor: "token:alice", now: Sample.admitted))
  }

  private func price(_ text: String) throws -> FixedDecimal { try FixedDecimal(decimal: text) }

  @Test("Prices of every kind are read back as they were")
  func readBack() throws {
    let prices = PriceTable(
      Dictionary(
        uniqueKeysWithValues: PricedQuantity.allCases.map {
          ($0, FixedDecimal(scaled: Int64($0.rawValue) + 1))
        }))
    let images = PriceTable(images: [
      ImageVariant(size: "1024x1024", quality: "hd"): try price("0.08"),
      ImageVariant(size: "1024x1024", quality: "low"): try price("0.01"),
    ])
    let agreed = AgreedPrices(
      PriceTable([.input: try price("1")]),
      completionWindows: ["2h": PriceTable([.output: try price("0.7")])],
      containers: ["4g": try price("0.1")])
    let tables = [AgreedPrices(prices), AgreedPrices(images), agreed]
    let editor = try editor()
    for (model, table) in zip(["all", "images", "more"], tables) {
      let made = try editor.replacePrices(
        table, ofModel: model, of: "openai", forClient: "acme")
      #expect(made.isNew)
      #expect(made.override.prices == table)
    }
    let reader = try LedgerReader(at: folder.location)
    #expect(try reader.priceOverrides(ofClient: "acme").map(\.prices) == tables)
    let labels = try reader.storedClients().priceOverrides.map(\.label)
    #expect(labels == ["acme/1", "acme/2", "acme/3"])
    #expect(try reader.priceOverrides(ofClient: "other") == [])
  }

  @Test("A number is never used again, and a replaced version keeps its row")
  func numbers() throws {
    let (editor, table) = (
      try editor(), AgreedPrices(PriceTable([.input: try price("0.3")]))
    )
    func replace() throws -> String {
      try editor.replacePrices(table, ofModel: "m", of: "openai", forClient: "acme").override.label
    }
    #expect(try replace() == "acme/1")
    #expect(try replace() == "acme/2")
    try editor.removePrices(ofModel: "m", of: "openai", forClient: "acme")
    #expect(throws: LedgerError.self) {
      try editor.removePrices(ofModel: "m", of: "openai", forClient: "acme")
    }
    #expect(try replace() == "acme/3")
    let rows = try folder.connection().prepare(
      "SELECT count(*) FROM pricing_config WHERE ended_at IS NOT NULL AND price_version <> ''")
    #expect(try rows.firstInteger() == 2)
    let actions = try folder.connection().prepare(
      "SELECT count(DISTINCT action) FROM audit_log WHERE target = 'pricing:acme/openai/m'")
    #expect(try actions.firstInteger() == 3)
  }

  @Test(
    "Prices that can't be read are refused, never taken for none",
    arguments: [
      "", "[]", #"{"per_million_tokens":{"inptu":"1"}}"#, #"{"per_minute":1}"#,
      #"{"per_image":{"hd":{"low":"x"}}}"#, #"{"per_hour":"1"}"#,
    ])
  func unreadable(text: String) {
    #expect(throws: LedgerError.unreadable(record: "prices")) {
      try AgreedPrices(json: text, of: "prices")
    }
  }
}
