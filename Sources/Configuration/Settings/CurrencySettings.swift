internal import Money

/// The contents of `currency:`, before its rates are checked.
struct CurrencySettings {
  var billing = Currency.usd
  /// The price of one US dollar in each currency. The dollar itself needs no entry.
  var perUSD: [Currency: FixedDecimal] = [:]
}

extension CurrencySettings: TabledSettings {
  static var rows: [SettingRow<CurrencySettings>] {
    [
      SettingRow("billing", \.billing, .currency, "The currency that clients are billed in"),
      SettingRow(
        "per_usd", \.perUSD, .exchangeRates,
        "The worth of a US dollar in each currency that is billed or budgeted in"),
    ]
  }
}

extension CurrencySettings {
  /// Returns the rates; nil, after a mistake at `mark`, if the billing currency has none.
  func exchangeRates(_ context: DecodingContext, at mark: YAMLMark) -> ExchangeRates? {
    do throws(MoneyError) {
      return try ExchangeRates(billing: billing, perDollar: perUSD)
    } catch {
      context.mistake(
        mark,
        "billing: \(billing.code) has no rate; allowed: USD, or a currency in currency.per_usd")
      return nil
    }
  }
}

extension ValueFormat<Currency> {
  static var currency: ValueFormat {
    .scalar(.currency, text: \.code)
  }
}

extension ValueFormat<FixedDecimal> {
  /// A price or rate, quoted or not: its digits count exactly as written.
  static var decimal: ValueFormat {
    .scalar(
      "a decimal with at most \(FixedDecimal.places) places, such as \"0.15\"",
      text: \.decimalText
    ) { try? FixedDecimal(decimal: $0) }
  }
}

extension ValueFormat<Int64> {
  /// An amount of money in nano-units, written as a decimal of the currency.
  static var amount: ValueFormat {
    .scalar(.amount)
  }
}

extension ValueFormat<[Currency: FixedDecimal]> {
  fileprivate static var exchangeRates: ValueFormat {
    let allowed = "a mapping of currencies to rates above zero, such as { BRL: \"5.40\" }"
    let text: ([Currency: FixedDecimal]) -> String = { rates in
      let pairs = rates.sorted { $0.key < $1.key }
        .map { "\($0.key.code): \($0.value.decimalText)" }
      return "{ \(pairs.joined(separator: ", ")) }"
    }
    return ValueFormat(allowed: allowed, text: text) { node, key, context in
      guard case .mapping(let entries) = node.content else {
        context.mistake(node.mark, "\(key): \(node.kindName) is not valid; allowed: \(allowed)")
        return nil
      }
      var rates: [Currency: FixedDecimal] = [:]
      for entry in entries {
        guard let currency = Currency(entry.key), currency != .usd else {
          context.mistake(
            entry.keyMark,
            "\(key): \(quoted(entry.key)) is not valid; allowed: a currency other than USD")
          continue
        }
        guard let rate = ValueFormat<FixedDecimal>.decimal.read(entry.value, entry.key, context)
        else { continue }
        guard rate > .zero else {
          context.mistake(entry.value.mark, "\(entry.key): 0 is not valid; allowed: above zero")
          continue
        }
        rates[currency] = rate
      }
      return rates
    }
  }
}
