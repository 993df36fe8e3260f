internal import Configuration
internal import Pricing
internal import Time

/// Whether each provider has prices, and how old they are.
enum PricesCheck {
  /// Providers change prices a few times a year.
  static let oldestDays = 90

  static func findings(_ settings: Settings, today now: Timestamp) -> [Finding] {
    do {
      _ = try settings.priceBook()
    } catch {
      return [
        .problem(.prices, error.lines.joined(separator: "; "), advice: "Mend the pricing files.")
      ]
    }
    let today = TimeZoneRules.utc.civilDate(of: now)
    return settings.providers.map { provider in
      guard let prices = settings.prices.first(where: { $0.provider == provider.name }) else {
        return .problem(
          .prices, "\(provider.name): no pricing file, so that each of its models is refused",
          advice: "Add its pricing file to the list pricing in catraca.yaml.")
      }
      return age(
        of: prices.asOf, today: today,
        subject: "\(prices.file): \(prices.models.count) models as of \(prices.asOf)",
        source: prices.source)
    }
  }

  static func age(
    of date: CivilDate, today: CivilDate, subject: String, source: String
  ) -> Finding {
    let days = today.daysSinceEpoch - date.daysSinceEpoch
    if days < 0 {
      return .warning(
        .prices, "\(subject), which is to come", advice: "Set as_of to the day of the prices.")
    }
    if days > oldestDays {
      return .warning(
        .prices, "\(subject), \(days) days ago",
        advice: "Compare the prices with \(source), and set as_of to that day.")
    }
    return .ok(.prices, subject)
  }
}
