import Money
import Time

/// Reads and writes a tariff as text: one `key value` per line, in a fixed order, with decimals as
/// the files state them.
enum TariffRecord {
  private static let heading = "catraca tariff 1"
  /// The heading of a record with the book's prices beside a client's own.
  private static let headingWithBook = "catraca tariff 2"

  /// - Parameter book: The book's prices, if those of `terms` are a client's own; nil otherwise.
  static func text(of terms: TariffTerms, book: PriceTable?) -> String {
    let (origin, rates) = (terms.origin, terms.rates)
    var lines = [
      book == nil ? heading : headingWithBook,
      "file \(origin.file)",
      "as_of \(origin.asOf)",
      "provider \(origin.provider)",
      "model \(origin.model)",
    ]
    if let tier = origin.tier { lines.append("tier \(tier)") }
    if let window = origin.completionWindow { lines.append("completion_window \(window)") }
    if origin.isTierAssumed { lines.append("tier_assumed true") }
    if let above = origin.aboveInputTokens { lines.append("above_input_tokens \(above)") }
    if origin.priceFactor != .one { lines.append("price_factor \(origin.priceFactor)") }
    if let label = origin.overrideLabel { lines.append("override \(label)") }
    if terms.minimumSeconds > 0 { lines.append("minimum_seconds \(terms.minimumSeconds)") }
    for quantity in PricedQuantity.all {
      guard let price = terms.prices[quantity] else { continue }
      lines.append("price.\(quantity.priceKey) \(price.decimalText)")
    }
    if let book {
      for quantity in PricedQuantity.all {
        guard let price = book[quantity] else { continue }
        lines.append("book.\(quantity.priceKey) \(price.decimalText)")
      }
    }
    lines.append("billing \(rates.billing.code)")
    for currency in rates.currencies {
      guard let rate = rates.rate(of: currency) else { continue }
      lines.append("rate.\(currency.code) \(rate.decimalText)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func version(of origin: PriceOrigin, record: String) -> String {
    let digits = String(fingerprint(of: record), radix: 16)
    let padded = String(repeating: "0", count: 16 - digits.count) + digits
    var version = "\(origin.file)@\(origin.asOf)#\(padded.prefix(12)):\(origin.model)"
    if let tier = origin.tier { version += "/\(tier)" }
    if let window = origin.completionWindow { version += "/in-\(window)" }
    if origin.isTierAssumed { version += "/?" }
    if let above = origin.aboveInputTokens { version += ">\(above)" }
    if origin.priceFactor != .one { version += "x\(origin.priceFactor)" }
    if let label = origin.overrideLabel { version += "+\(label)" }
    return version
  }

  /// Returns a record's terms, and the book's prices if the terms' prices are a client's own.
  static func read(
    _ record: String
  ) throws(PricingError) -> (terms: TariffTerms, book: PriceTable?) {
    let hasBook = record.hasPrefix("\(headingWithBook)\n")
    var reader = try RecordReader(record, heading: hasBook ? headingWithBook : heading)
    let file = try reader.required("file")
    let asOf = try reader.required("as_of", as: { CivilDate($0) })
    let provider = try reader.required("provider")
    let model = try reader.required("model")
    let tier = reader.optional("tier")
    let window = reader.optional("completion_window")
    let isTierAssumed = reader.optional("tier_assumed") != nil
    let above = try reader.optional("above_input_tokens", as: { Int64($0) })
    let factor = try reader.optional("price_factor", as: { PriceFactor($0) }) ?? .one
    let label = reader.optional("override")
    let minimumSeconds = try reader.optional("minimum_seconds", as: { Int64($0) }) ?? 0
    let prices = try prices("price", &reader)
    let book = hasBook ? try self.prices("book", &reader) : nil
    let billing = try reader.required("billing", as: { Currency($0) })
    let rates = try rates(billing: billing, &reader)
    try reader.end()
    let origin = PriceOrigin(
      file: file, asOf: asOf, provider: provider, model: model, tier: tier,
      completionWindow: window, isTierAssumed: isTierAssumed, aboveInputTokens: above,
      priceFactor: factor, overrideLabel: label)
    let terms = TariffTerms(
      origin: origin, prices: prices, minimumSeconds: minimumSeconds, rates: rates)
    return (terms, book)
  }

  private static func prices(
    _ kind: String, _ reader: inout RecordReader
  ) throws(PricingError) -> PriceTable {
    var prices = PriceTable()
    for quantity in PricedQuantity.all {
      prices[quantity] = try reader.optional(
        "\(kind).\(quantity.priceKey)", as: { try? FixedDecimal(decimal: $0) })
    }
    return prices
  }

  private static func rates(
    billing: Currency, _ reader: inout RecordReader
  ) throws(PricingError) -> ExchangeRates {
    var perDollar: [Currency: FixedDecimal] = [:]
    while let code = reader.suffix(after: "rate."), let currency = Currency(code) {
      perDollar[currency] = try reader.required(
        "rate.\(code)", as: { try? FixedDecimal(decimal: $0) })
    }
    do {
      return try ExchangeRates(billing: billing, perDollar: perDollar)
    } catch {
      throw reader.malformed
    }
  }

  /// FNV-1a with 64 bits. It distinguishes versions, and protects against no attack.
  static func fingerprint(of text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
  }
}

/// Reads the lines of a record in order, each with its expected key.
private struct RecordReader {
  private var lines: ArraySlice<Substring>

  init(_ record: String, heading: String) throws(PricingError) {
    lines = record.split(separator: "\n", omittingEmptySubsequences: false)[...]
    // The last line also ends with a line break, so an empty text follows it.
    guard lines.popLast() == "", lines.first == heading[...] else {
      throw .malformedRecord(line: 1)
    }
    lines.removeFirst()
  }

  var malformed: PricingError { .malformedRecord(line: lines.startIndex + 1) }

  mutating func optional(_ key: String) -> String? {
    guard let line = lines.first, line.hasPrefix(key + " ") else { return nil }
    lines.removeFirst()
    return String(line.dropFirst(key.count + 1))
  }

  mutating func required(_ key: String) throws(PricingError) -> String {
    let error = malformed
    guard let value = optional(key) else { throw error }
    return value
  }

  mutating func optional<Value>(
    _ key: String, as read: (String) -> Value?
  ) throws(PricingError) -> Value? {
    let error = malformed
    guard let text = optional(key) else { return nil }
    guard let value = read(text) else { throw error }
    return value
  }

  mutating func required<Value>(
    _ key: String, as read: (String) -> Value?
  ) throws(PricingError) -> Value {
    let error = malformed
    guard let value = try optional(key, as: read) else { throw error }
    return value
  }

  /// Returns the rest of the next line's key after `prefix`; nil if the key has another prefix.
  func suffix(after prefix: String) -> String? {
    guard let key = lines.first?.split(separator: " ").first, key.hasPrefix(prefix) else {
      return nil
    }
    return String(key.dropFirst(prefix.count))
  }

  func end() throws(PricingError) {
    guard lines.isEmpty else { throw malformed }
  }
}
