internal import Money
internal import Pages
internal import Pricing

/// Prices in words, in the units in which they are published.
enum PriceList {
  static func text(_ price: FixedDecimal?, _ reader: Reader) -> String {
    price.map { reader.decimal("\($0)") } ?? "–"
  }

  /// All of a table.
  static func all(_ table: PriceTable, _ reader: Reader) -> [String] {
    list(PricedQuantity.allCases, table, reader)
  }

  /// All that a client has agreed on.
  static func all(_ prices: AgreedPrices, _ reader: Reader) -> [String] {
    let windows = prices.completionWindows.sorted { $0.key < $1.key }.flatMap { name, table in
      all(table, reader).map { "\(reader(.window(name))) \($0)" }
    }
    let containers = prices.containers.sorted { $0.key < $1.key }.map { size, price in
      "\(reader(.containerMemory)) \(size) \(text(price, reader))"
    }
    return all(prices.table, reader) + windows + containers
  }

  /// Those beside input, cached input and output.
  static func others(_ table: PriceTable, _ reader: Reader) -> [String] {
    list(
      PricedQuantity.allCases.filter { ![.input, .cachedInput, .output].contains($0) }, table,
      reader) + (table.images.isEmpty ? [] : [reader(.imagesBySize)])
  }

  private static func list(
    _ quantities: [PricedQuantity], _ table: PriceTable, _ reader: Reader
  ) -> [String] {
    quantities.compactMap { quantity in
      table[quantity].map { "\(quantity.priceKey) \(text($0, reader))" }
    }
  }
}
