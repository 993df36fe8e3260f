internal import Budgets
internal import Configuration
internal import Ledger
internal import Money

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
