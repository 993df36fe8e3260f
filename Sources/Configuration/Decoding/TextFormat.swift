public import Budgets
internal import HTTP
public import Money
public import Time

/// The format of a value that is written as text.
///
/// Files, bodies and queries of the API, forms of the dashboard and options of commands read such a
/// value with the same format. So all of them accept the same values, and say the same of others.
public struct TextFormat<Value>: Sendable {
  /// The allowed values, for the message after `allowed: `.
  public let allowed: String
  /// Reads a value; nil for text that isn't one.
  public let parse: @Sendable (String) -> Value?

  public init(_ allowed: String, parse: @escaping @Sendable (String) -> Value?) {
    self.allowed = allowed
    self.parse = parse
  }
}

extension TextFormat<String> {
  /// Text for people, such as a client's name.
  public static let plain = TextFormat(PlainText.rule) { PlainText.isValid($0) ? $0 : nil }

  /// The ID or name of a client, plan, key, budget or provider.
  public static let name = TextFormat(EntityName.rule) { EntityName.isValid($0) ? $0 : nil }
}

extension TextFormat<Int64> {
  /// Decimal digits without a sign, a leading zero or a separator.
  public static func integer(_ range: ClosedRange<Int64>) -> TextFormat {
    TextFormat("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      wholeNumber(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// An amount of money, in nano-units.
  public static let amount = TextFormat(
    "an amount with at most \(Money.places) decimals, such as \"500.00\""
  ) { text in
    (try? Money(decimal: text, currency: .usd))?.nanoUnits
  }
}

extension TextFormat<Currency> {
  public static let currency = TextFormat("the three letters of a currency, such as BRL") {
    Currency($0)
  }
}

extension TextFormat<Markup> {
  /// A percentage with its sign: `20%`, `-5%`.
  public static let markup = TextFormat(Markup.rule) { Markup($0) }
}

extension TextFormat<Moment> {
  public static let moment = TextFormat(
    "a date such as 2027-01-01 or an instant such as 2027-01-01T12:00:00-03:00"
  ) { Moment($0) }
}

extension TextFormat<TimeZoneRules> {
  public static let timeZone = TextFormat(
    "an IANA zone such as America/Sao_Paulo, or UTC"
  ) { TimeZoneRules(identifier: $0) }
}

extension TextFormat<ModelPattern> {
  public static let modelPattern = TextFormat(
    "the name of a model, with * for any text, such as gpt-4o*"
  ) { ModelPattern($0) }
}

extension TextFormat<BudgetPeriod> {
  public static let budgetPeriod = TextFormat(BudgetPeriod.allowed) {
    BudgetPeriod($0, anchor: BudgetDecoder.windowAnchor)
  }
}

extension TextFormat<BudgetDraft.Mode> {
  public static let budgetMode = TextFormat(BudgetDraft.Mode.rule) { BudgetDraft.Mode($0) }
}
