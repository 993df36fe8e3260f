internal import Money
public import Pricing

/// Writes a provider's prices as the text of a pricing file, for prices that a program computes.
public enum PricingFileText {
  /// - Parameter comment: The comment at the beginning of the file, one element per line.
  public static func text(of file: ProviderPrices, comment: [String] = []) -> String {
    var text = Outline()
    for line in comment { text.line("# \(line)") }
    text.line("provider: \(scalar(file.provider))")
    text.line("currency: \(file.currency.code)")
    if !file.source.isEmpty { text.line("source: \(scalar(file.source))") }
    text.line("as_of: \(file.asOf)")
    write(file.surcharges, to: &text)
    if !file.containers.isEmpty {
      text.section("containers") { text in
        for (size, price) in file.containers.sorted(by: { $0.key < $1.key }) {
          write(price, of: scalar(size), to: &text)
        }
      }
    }
    if file.models.contains(where: { !$0.takesPriceFactor }) {
      let names = file.models.filter(\.takesPriceFactor).map { scalar($0.name) }
      text.line("price_factor_models: [\(names.joined(separator: ", "))]")
    }
    text.section("models") { text in
      for model in file.models { write(model, to: &text) }
    }
    return text.lines
  }

  private static func write(_ model: ModelDeclaration, to text: inout Outline) {
    text.section(scalar(model.name)) { text in
      if !model.aliases.isEmpty {
        text.line("aliases: [\(model.aliases.map(scalar).joined(separator: ", "))]")
      }
      text.line("operation: \(model.operation.rawValue)")
      if let tokens = model.maxOutputTokens { text.line("max_output_tokens: \(tokens)") }
      if let tokens = model.contextTokens { text.line("context_tokens: \(tokens)") }
      if model.minimumSeconds > 0 { text.line("minimum_seconds: \(model.minimumSeconds)") }
      write(model.surcharges, to: &text)
      if let only = model.prices.first, model.prices.count == 1, only.from == nil {
        write(only, to: &text)
        return
      }
      text.section("prices") { text in
        for dated in model.prices {
          text.item { text in
            if let from = dated.from { text.line("from: \(from)") }
            write(dated, to: &text)
          }
        }
      }
    }
  }

  private static func write(_ prices: DatedPrices, to text: inout Outline) {
    write(prices.base, to: &text)
    write(prices.tiers, as: "tiers", to: &text)
    write(prices.completionWindows, as: "completion_windows", to: &text)
  }

  private static func write(
    _ named: [String: SteppedPrices], as key: String, to text: inout Outline
  ) {
    if named.isEmpty { return }
    text.section(key) { text in
      for (name, prices) in named.sorted(by: { $0.key < $1.key }) {
        text.section(scalar(name)) { write(prices, to: &$0) }
      }
    }
  }

  private static func write(_ prices: SteppedPrices, to text: inout Outline) {
    write(prices.table, to: &text)
    if prices.aboveInputTokens.isEmpty { return }
    text.section("above_input_tokens") { text in
      for (tokens, table) in prices.aboveInputTokens.sorted(by: { $0.key < $1.key }) {
        text.section("\(tokens)") { write(table, to: &$0) }
      }
    }
  }

  private static func write(_ table: PriceTable, to text: inout Outline) {
    let tokens = PricedQuantity.tokens.filter { table[$0] != nil }
    if !tokens.isEmpty {
      text.section("per_million_tokens") { text in
        for quantity in tokens { write(table[quantity], of: quantity.priceKey, to: &text) }
      }
    }
    for quantity in PricedQuantity.allCases where quantity.unit != .token {
      if quantity == .image, !table.images.isEmpty {
        text.section(quantity.priceKey) { write(table.images, to: &$0) }
      } else {
        write(table[quantity], of: quantity.priceKey, to: &text)
      }
    }
  }

  private static func write(_ images: [ImageVariant: FixedDecimal], to text: inout Outline) {
    let bySize = Dictionary(grouping: images, by: \.key.size)
    for (size, variants) in bySize.sorted(by: { $0.key < $1.key }) {
      text.section(scalar(size)) { text in
        for (variant, price) in variants.sorted(by: { $0.key.quality < $1.key.quality }) {
          write(price, of: scalar(variant.quality), to: &text)
        }
      }
    }
  }

  private static func write(_ surcharges: [String: FixedDecimal], to text: inout Outline) {
    if surcharges.isEmpty { return }
    text.section("surcharges") { text in
      for (name, price) in surcharges.sorted(by: { $0.key < $1.key }) {
        text.section(scalar(name)) { write(price, of: PricedQuantity.call.priceKey, to: &$0) }
      }
    }
  }

  private static func write(_ price: FixedDecimal?, of key: String, to text: inout Outline) {
    if let price { text.line("\(key): \"\(price.decimalText)\"") }
  }

  /// Returns a plain scalar if YAML gives it no other meaning, or else a quoted one.
  private static func scalar(_ text: String) -> String {
    let isPlain =
      text.utf8.first.map { isAlphanumeric($0) && !isDigit($0) } ?? false
      && text.utf8.allSatisfy { isAlphanumeric($0) || "._-/".utf8.contains($0) }
    if isPlain { return text }
    let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
    return "\"\(escaped)\""
  }
}

/// Lines of YAML in block style, indented by the depth of their section.
private struct Outline {
  private(set) var lines = ""
  private var depth = 0
  /// Whether the next line begins an item of a list.
  private var beginsItem = false

  mutating func line(_ content: String) {
    lines += String(repeating: " ", count: depth * 2 - (beginsItem ? 2 : 0))
    lines += beginsItem ? "- \(content)\n" : "\(content)\n"
    beginsItem = false
  }

  mutating func section(_ key: String, _ content: (inout Outline) -> Void) {
    line("\(key):")
    depth += 1
    content(&self)
    depth -= 1
  }

  mutating func item(_ content: (inout Outline) -> Void) {
    depth += 1
    beginsItem = true
    content(&self)
    depth -= 1
  }
}
