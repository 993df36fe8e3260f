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
        ], answers: .ok(.page(of: fields.schema)), handler: list)
    ]
  }

  private static let fields =
    ([
      .field("provider", \.price.provider), .field("model", \.price.model),
      .choice("kind", \.price.dimension.kind),
      .field("name") { $0.price.dimension.name.isEmpty ? nil : $0.price.dimension.name },
      .field("refused", \.refused), .field("free", \.free), .field("assumed", \.assumed),
      .field("requests", \.requests), .field("first_seen", \.firstSeen),
      .field("last_seen", \.lastSeen), .field("clients", \.clients),
    ] as AnswerFields<NeededPrice>).named("MissingPrice")

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let provider = try call.query.text("provider")
    let client = try call.query.text("client")
    let days = try call.query.integer("days", in: 1...366) ?? usualDays
    let since = call.now.advanced(by: .seconds(-days * 86_400))
    let prices = try needed(since: since, call) { sighting in
      provider ?? sighting.price.provider == sighting.price.provider
        && client ?? sighting.clientID == sighting.clientID
    }
    return Page(whole: prices).answer(fields)
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
}
