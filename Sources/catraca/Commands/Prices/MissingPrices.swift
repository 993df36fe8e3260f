internal import Configuration
internal import Gateway
internal import Ledger
internal import Pricing
internal import Time

/// `catraca prices missing`: the prices that requests needed and the price book doesn't have.
enum MissingPrices {
  private static let provider = Parameter(
    "provider", ArgumentFormat<String>.name("P"), "only prices of this provider")

  static let command = Command(
    "prices missing", "lists prices that requests needed and the price book doesn't have",
    options: [
      provider, CommonOptions.client, UsageReportCommand.days, CommonOptions.config,
      CommonOptions.ledger,
      CommonOptions.format,
    ],
    examples: [
      Command.Example(
        line: "prices missing --days 7",
        meaning: "the last week: what was refused, charged at another price, or not charged")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let settings = try invocation.settings()
    _ = try settings.priceBook()
    let now = invocation.surroundings.now()
    let days = Int(try values.required(UsageReportCommand.days))
    let span = UsageReportCommand.Span(days: days, until: now, in: .utc)
    let reader = try invocation.reader()
    let (sightings, overrides) = try invocation.ledger { () throws(LedgerError) in
      (try reader.missingPrices(since: span.start), try reader.storedClients().priceOverrides)
    }
    let rules = try rules(settings, overrides)
    let meant = sightings.filter { sighting in
      values[provider] ?? sighting.price.provider == sighting.price.provider
        && values[CommonOptions.client] ?? sighting.clientID == sighting.clientID
    }
    var table = Table(columns, emptyText: "No price was missing since \(span.days.lowerBound).")
    for needed in NeededPrice.all(
      meant, stillMissingAt: now, { rules.model($0, of: $1, for: $2) })
    {
      table.append(row(needed))
    }
    return CommandOutcome(.list(table))
  }

  private static func rules(
    _ settings: Settings, _ overrides: [StoredPriceOverride]
  ) throws(CommandError) -> RulesSnapshot {
    do throws(PricingError) {
      return try RulesSnapshot(settings, clients: settings.clients, priceOverrides: overrides)
    } catch {
      throw .failed("the pricing files make no price book: \(error)")
    }
  }

  private static let columns = [
    Table.Column("provider", "Provider"), Table.Column("model", "Model"),
    Table.Column("kind", "Kind"), Table.Column("name", "Name"),
    Table.Column("refused", "Refused"), Table.Column("assumed", "Other price"),
    Table.Column("free", "Not charged"), Table.Column("requests", nil),
    Table.Column("first_seen", "First"), Table.Column("last_seen", "Last"),
    Table.Column("clients", "Clients"),
  ]

  private static func row(_ needed: NeededPrice) -> [Cell] {
    let dimension = needed.price.dimension
    return [
      .text(needed.price.provider), .text(needed.price.model), .text(dimension.kind.rawValue),
      .optional(dimension.name.isEmpty ? nil : dimension.name), .integer(needed.refused),
      .integer(needed.assumed), .integer(needed.free), .integer(needed.requests),
      .instant(needed.firstSeen), .instant(needed.lastSeen), .list(needed.clients),
    ]
  }
}
