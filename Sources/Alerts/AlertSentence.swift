internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Time

/// An alert as one sentence for people. Example: `ACME Corp: 80 % of 1,000,000 tokens used
/// (acme/1), resets 2026-12-01`.
struct AlertSentence: CustomStringConvertible {
  let alert: Alert
  /// The budget's client; nil for a budget over all clients, and for a client that is gone.
  let client: Client?

  var description: String {
    if alert.kind == .priceMissing {
      return "A price is missing: \(AlertName(alert.subject)) (\(effect)); "
        + AlertSentence.priceAdvice
    }
    return "\(name): \(finding) (\(place))\(reset)"
  }

  /// The effect on requests that need a missing price.
  var effect: String { alert.budgetID == .refusedPrices ? "refused" : "charged otherwise" }

  /// The place of the list of all missing prices.
  static let priceAdvice = "see catraca prices missing"

  /// The client's name for people.
  var name: String {
    if let client { return "\(AlertName(client.name))" }
    let id = alert.budgetID.client
    return id == BudgetID.everything ? "All clients" : id
  }

  private var finding: String {
    switch alert.kind {
    case .threshold(let percent): "\(percent) % of \(amount(alert.limitValue))\(unitWord) used"
    case .exceeded:
      "budget exceeded, \(amount(alert.used)) of \(amount(alert.limitValue))\(unitWord) used"
    case .paymentFailed: "payment of \(amount(alert.limitValue)) failed"
    case .paymentMismatch:
      "a payment is not what was charged, \(amount(alert.limitValue)); it pays nothing"
    case .priceMissing: "a price is missing"
    }
  }

  private var place: String {
    switch alert.kind {
    case .paymentFailed(let charge), .paymentMismatch(let charge): return charge
    case .threshold, .exceeded, .priceMissing: break
    }
    let isOfWholeClient = alert.subject.hasPrefix("\(BudgetDefinition.Per.client.rawValue):")
    return isOfWholeClient ? "\(alert.budgetID)" : "\(alert.budgetID), \(AlertName(alert.subject))"
  }

  private var reset: String {
    guard let end = alert.window.end else { return "" }
    return ", resets \((client?.timeZone ?? .utc).civilDate(of: end))"
  }

  private var unitWord: String {
    switch alert.unit {
    case .tokens: " tokens"
    case .conversations: " conversations"
    case .nanoUnits: ""
    }
  }

  private func amount(_ value: Int64) -> String {
    switch alert.unit {
    case .tokens, .conversations: value.groupedByThousands
    case .nanoUnits(let currency):
      "\(currency.code) \(Money(nanoUnits: value, currency: currency).groupedText)"
    }
  }
}

extension Money {
  /// Example: `1,500.00`. Digits are in groups of three, with two decimals or as many as the amount
  /// has.
  fileprivate var groupedText: String {
    let parts = decimalText.split(separator: ".")
    guard parts.count == 2, let whole = Int64(parts[0]) else { return decimalText }
    var decimals = parts[1]
    while decimals.count > 2, decimals.last == "0" { decimals.removeLast() }
    return "\(whole.groupedByThousands).\(decimals)"
  }
}

/// Many alerts of one budget as one sentence for people. Example: `ACME Corp: 118 alerts of
/// acme/month: 40 × budget exceeded (user:u1, user:u2, user:u3, …), 78 × 80 % used (user:u4)`.
struct GatheredSentence: CustomStringConvertible {
  let alerts: GatheredAlerts
  /// As in `AlertSentence`.
  let client: Client?

  /// The most subjects that the sentence names for each kind.
  private static let mostNamed = 3

  var description: String {
    let lead = AlertSentence(alert: alerts.lead.alert, client: client)
    if alerts.lead.alert.kind == .priceMissing {
      let named = alerts.named.prefix(GatheredSentence.mostNamed).map {
        "\(AlertName($0.alert.subject))"
      }
      let more = alerts.count > named.count ? ", …" : ""
      return "\(alerts.count.groupedByThousands) prices are missing: "
        + "\(named.joined(separator: ", "))\(more) (\(lead.effect)); "
        + AlertSentence.priceAdvice
    }
    let kinds = alerts.kinds.map { kind in
      "\(kind.count.groupedByThousands) × \(finding(kind.percent))\(subjects(of: kind))"
    }
    return "\(lead.name): \(alerts.count.groupedByThousands) alerts of "
      + "\(alerts.lead.alert.budgetID): \(kinds.joined(separator: ", "))"
  }

  private func finding(_ percent: Int?) -> String {
    percent.map { "\($0) % used" } ?? "budget exceeded"
  }

  private func subjects(of kind: GatheredAlerts.Kind) -> String {
    let named = alerts.named.lazy.filter { $0.alert.percent == kind.percent }
      .prefix(GatheredSentence.mostNamed).map { "\(AlertName($0.alert.subject))" }
    if named.isEmpty { return "" }
    let more = kind.count > named.count ? ", …" : ""
    return " (\(named.joined(separator: ", "))\(more))"
  }
}
