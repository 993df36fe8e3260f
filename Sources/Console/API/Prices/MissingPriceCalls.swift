internal import JSON
internal import Ledger
internal import Pricing
internal import Time

/// `/api/admin/prices/missing`: the prices that requests needed and the price book doesn't have.
enum MissingPriceCalls {
  /// How many days the list covers if the query doesn't say.
  private static let usualDays: Int64 = 30

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/api/admin/prices/missing", .viewer,
        "Lists prices that requests needed and the price book doesn't have",
        query: [
          QueryParameter("provider", "only prices of this provider"),
          QueryParameter("client", "only requests of this client"),
          QueryParameter(
            "days", "only prices that requests needed in the last days; 30 by default",
            .integer(1...366)),
        ], answers: .ok(.page(of: schema)), handler: list)
    ]
  }

  private static let schema = JSONSchema.named(
    "MissingPrice",
    .object([
      "provider": .anyText, "model": .anyText, "kind": .choice(of: PriceDimension.Kind.self),
      "name": .anyText.orNull, "refused": .count, "free": .count, "assumed": .count,
      "requests": .count, "first_seen": .instant, "last_seen": .instant,
      "clients": .list(of: .anyText),
    ]))

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let provider = try call.query.text("provider")
    let client = try call.query.text("client")
    let days = try call.query.integer("days", in: 1...366) ?? usualDays
    let since = call.now.advanced(by: .seconds(-days * 86_400))
    let prices = try needed(since: since, call) { sighting in
      provider ?? sighting.price.provider == sighting.price.provider
        && client ?? sighting.clientID == sighting.clientID
    }
    return Page(whole: prices).answer(write)
  }

  /// The prices that requests needed since `since` and that are still missing. The one needed last
  /// comes first.
  static func needed(
    since: Timestamp, _ call: Call, where isMeant: (MissingPriceSighting) -> Bool = { _ in true }
  ) throws(APIError) -> [NeededPrice] {
    let sightings = try call.read { reader throws(LedgerError) in
      try reader.missingPrices(since: since)
    }
    return NeededPrice.all(sightings.filter(isMeant), stillMissingAt: call.now) {
      call.server.model($0, of: $1, for: $2)
    }
  }

  private static func write(_ needed: NeededPrice, to data: inout JSONWriter) {
    let dimension = needed.price.dimension
    data.object { object in
      object.member("provider", needed.price.provider)
      object.member("model", needed.price.model)
      object.member("kind", dimension.kind.rawValue)
      object.member("name", dimension.name.isEmpty ? nil : dimension.name)
      object.member("refused", needed.refused)
      object.member("free", needed.free)
      object.member("assumed", needed.assumed)
      object.member("requests", needed.requests)
      object.member("first_seen", needed.firstSeen.rfc3339)
      object.member("last_seen", needed.lastSeen.rfc3339)
      object.member("clients", needed.clients)
    }
  }
}
