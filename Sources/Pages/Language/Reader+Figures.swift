public import Money

extension Reader {
  /// `998,120`, or `998.120`.
  public func number(_ value: Int64) -> String {
    let sign = value < 0 ? "-" : ""
    return sign + grouped(String(value.magnitude))
  }

  /// A short number for a narrow place, rounded down: `998`, `12.3 k`, `4.5 M`.
  public func shortNumber(_ value: Int64) -> String {
    let steps: [(Int64, String)] = [
      (1_000_000_000_000, "T"), (1_000_000_000, language == .english ? "B" : "bi"),
      (1_000_000, language == .english ? "M" : "mi"),
      (1_000, language == .english ? "k" : "mil"),
    ]
    guard let (size, name) = steps.first(where: { value >= $0.0 }) else { return number(value) }
    let tenths = value / (size / 10)
    let decimal = tenths % 10 == 0 ? "" : "\(decimalSeparator)\(tenths % 10)"
    return "\(tenths / 10)\(decimal)\u{A0}\(name)"
  }

  /// A percentage with one decimal: `85.0 %`, or `85,0 %`; `-5.0 %` below zero.
  public func percentage(permille: Int) -> String {
    let sign = permille < 0 ? "-" : ""
    let magnitude = permille.magnitude
    let whole = grouped(String(magnitude / 10))
    return "\(sign)\(whole)\(decimalSeparator)\(magnitude % 10)\u{A0}%"
  }

  /// An amount to read at a glance, rounded down: two decimals, or for less than one unit as many
  /// as its first two significant digits need. Examples: `R$ 1.234,56`, `$0.000045`.
  public func money(_ money: Money) -> String {
    amount(money, decimals: Reader.usualDecimals(of: money.nanoUnits.magnitude))
  }

  /// Amounts to compare at a glance, each rounded down to the same decimals: the most that
  /// `money(_:)` shows of one of them. Example: 0.536, 0.564 and -0.028, not 0.53, 0.56 and -0.028.
  public func money(inOneRow amounts: [Money]) -> [String] {
    let decimals = amounts.map { Reader.usualDecimals(of: $0.nanoUnits.magnitude) }.max() ?? 2
    return amounts.map { amount($0, decimals: decimals) }
  }

  /// An amount with all of its decimals, at least two.
  public func exactMoney(_ money: Money) -> String {
    var decimals = Money.places
    var rest = money.nanoUnits.magnitude
    while decimals > 2, rest % 10 == 0 {
      rest /= 10
      decimals -= 1
    }
    return amount(money, decimals: decimals)
  }

  /// A plain decimal, such as `0.15`, in the reader's spelling.
  public func decimal(_ text: String) -> String {
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    let decimals = parts.count > 1 ? "\(decimalSeparator)\(parts[1])" : ""
    return grouped(parts.first ?? "") + decimals
  }

  /// A plain decimal as an amount of money: `$0.15`, or `US$ 0,15`.
  public func money(_ decimalText: String, in currency: Currency) -> String {
    symbol(of: currency) + decimal(decimalText)
  }

  private func amount(_ money: Money, decimals: Int) -> String {
    let sign = money.nanoUnits < 0 ? "-" : ""
    let unit = Reader.billion
    let magnitude = money.nanoUnits.magnitude
    let digits = String(magnitude % unit)
    let fraction = String(repeating: "0", count: Money.places - digits.count) + digits
    let figure =
      "\(grouped(String(magnitude / unit)))\(decimalSeparator)\(fraction.prefix(decimals))"
    return sign + symbol(of: money.currency) + figure
  }

  private static let billion: UInt64 = 1_000_000_000

  private static func usualDecimals(of magnitude: UInt64) -> Int {
    if magnitude == 0 || magnitude >= billion { return 2 }
    var decimals = max(2, min(Money.places, Money.places - String(magnitude).count + 2))
    // If the second digit is zero, it is left out.
    let hasNought = decimals > 2 && magnitude / powerOfTen(Money.places - decimals) % 10 == 0
    if hasNought { decimals -= 1 }
    return decimals
  }

  private static func powerOfTen(_ exponent: Int) -> UInt64 {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  private func symbol(of currency: Currency) -> String {
    switch (currency.code, language) {
    case ("USD", .english): "$"
    case ("USD", .portuguese): "US$\u{A0}"
    case ("BRL", .english): "R$"
    case ("BRL", .portuguese): "R$\u{A0}"
    case ("EUR", .english): "€"
    case ("EUR", .portuguese): "€\u{A0}"
    default: "\(currency.code)\u{A0}"
    }
  }

  private func grouped(_ digits: String) -> String {
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index) % 3 == 0 { text.append(groupSeparator) }
      text.append(digit)
    }
    return text
  }
}
