public import JSON
public import Money
public import Pricing

extension JSONWriter {
  /// Writes a model's prices as members with the keys of a pricing file: the base prices, with
  /// `above_input_tokens` if long inputs have their own prices, `tiers` and `completion_windows`.
  public mutating func members(of prices: DatedPrices) {
    members(of: prices.base)
    member("tiers", named: prices.tiers)
    member("completion_windows", named: prices.completionWindows)
  }

  private mutating func member(_ key: String, named: [String: SteppedPrices]) {
    member(key) { writer in
      writer.object { object in
        for (name, prices) in named.sorted(by: { $0.key < $1.key }) {
          object.member(name) { entry in entry.object { $0.members(of: prices) } }
        }
      }
    }
  }

  private mutating func members(of prices: SteppedPrices) {
    members(of: prices.table)
    if prices.aboveInputTokens.isEmpty { return }
    member("above_input_tokens") { steps in
      steps.object { steps in
        for (tokens, table) in prices.aboveInputTokens.sorted(by: { $0.key < $1.key }) {
          steps.member("\(tokens)") { step in step.object { $0.members(of: table) } }
        }
      }
    }
  }

  /// Writes the prices of a container session as the member `containers`, by memory:
  /// `"containers":{"1g":"0.030000000"}`.
  public mutating func member(containers: [String: FixedDecimal]) {
    member("containers") { writer in
      writer.object { object in
        for (size, price) in containers.sorted(by: { $0.key < $1.key }) {
          object.member(size, price.moneyText)
        }
      }
    }
  }

  /// Writes the prices of calls that are billed separately from tokens as the member `surcharges`,
  /// by name: `"surcharges":{"web_search":{"per_call":"0.010000000"}}`.
  public mutating func member(surcharges: [String: FixedDecimal]) {
    member("surcharges") { writer in
      writer.object { object in
        for (name, price) in surcharges.sorted(by: { $0.key < $1.key }) {
          object.member(name) { surcharge in
            surcharge.object { $0.member(PricedQuantity.call.priceKey, price.moneyText) }
          }
        }
      }
    }
  }
}

/// Writes `price_versions`: the prices of computed costs, each version once.
final class PriceVersionStore {
  private let insert: Statement
  /// Versions that are known to be in the table. Cleared as a whole when there are many.
  private var known: Set<String> = []
  /// The last version that was named, which is usually the next one too.
  private var latest: String?

  static let largestKnownCount = 10_000

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    insert = try connection.prepare(PriceVersionStore.insertVersion)
  }

  func keep(_ version: String?, _ record: String?) throws(LedgerError) {
    guard let version, let record, version != latest else { return }
    if known.contains(version) {
      latest = version
      return
    }
    insert.bind(version, at: 1)
    insert.bind(record, at: 2)
    try insert.run()
    if known.count >= PriceVersionStore.largestKnownCount { known.removeAll() }
    known.insert(version)
  }

  /// Forgets the versions, because those of a failed transaction aren't in the table.
  func didRollBack() {
    known.removeAll()
    latest = nil
  }

  private static let insertVersion = """
    INSERT INTO price_versions (version, record) VALUES (?, ?) ON CONFLICT (version) DO NOTHING
    """
}
