internal import Budgets
internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Time

/// `/api/admin/credits`: tokens or money that a client may use on top of its plan.
enum CreditCalls {
  private static let path = "/api/admin/credits"
  private static let largestTokens: Int64 = 1 << 53

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Lists the credits", query: [.client] + QueryParameter.page,
        answers: .ok(.page(of: schema)), handler: list),
      APIRoute(
        .post, path, .admin, "Adds a credit, which is used when the plan is used up",
        body: fields, answers: .created(schema), handler: grant),
    ]
  }

  private static let fields =
    ["client_id": .name]
    + ([
      "tokens": .integer(1...largestTokens), "cost": .amount, "currency": .currency,
      "expires_at": .moment, "note": .plainText,
    ] as Fields).clearable

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let client = try call.query.text("client")
    let after = try call.query.integer("after", in: 0...Int64.max) ?? 0
    let limit = try call.query.limit()
    let credits = try call.read { reader throws(LedgerError) in
      try reader.credits(ofClient: client, after: after, limit: limit + 1)
    }
    return Page(credits, limit: limit) { "\($0.id)" }.answer { credit, data in
      write(credit, zone: call.clients.client(credit.clientID)?.timeZone ?? .utc, to: &data)
    }
  }

  private static func grant(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let client = try call.client(try body.require("client_id", try body.name("client_id")))
    let credit = StoredCredit(
      clientID: client.id, granted: try amount(in: body, call),
      expiresAt: try body.moment("expires_at", in: client.timeZone),
      note: try body.text("note"), createdAt: call.now)
    if let end = credit.expiresAt, end <= call.changedAt {
      throw .invalidValue("expires_at", allowed: "a time in the future")
    }
    let id = try await call.change { editor throws(LedgerError) in try editor.grant(credit).id }
    let granted = try call.read { reader throws(LedgerError) in
      try reader.credits(ofClient: client.id, after: id - 1, limit: 1).first
    }
    guard let granted else { throw .notFound("credit of client \(client.id)") }
    return Answer(status: 201) { write(granted, zone: client.timeZone, to: &$0) }
  }

  private static func amount(in body: Body, _ call: Call) throws(APIError) -> Credit.Amount {
    let tokens = try body.integer("tokens", in: 1...largestTokens)
    let currency = try body.currency("currency")
    guard body.value("cost") != nil else {
      if currency != nil {
        throw .invalidValue(
          "currency", allowed: "no value, since a credit in tokens has no currency")
      }
      return .tokens(try body.require("tokens", tokens))
    }
    guard tokens == nil else {
      throw .invalidValue(
        "tokens", allowed: "no value together with cost, since a credit has one amount")
    }
    let known = try body.require("currency", currency)
    let rates = call.settings.rates
    guard rates.rate(of: known) != nil else {
      throw .invalidValue(
        "currency", allowed: rates.currencies.map(\.code).joined(separator: ", "))
    }
    guard let cost = try body.money("cost", in: known), cost.nanoUnits > 0 else {
      throw .invalidValue("cost", allowed: "an amount above zero, such as \"50.00\"")
    }
    return .money(cost)
  }

  private static let schema = JSONSchema.named(
    "Credit",
    .object([
      "id": .anyText, "client_id": .anyText, "tokens_granted": .count.orNull,
      "tokens_remaining": .count.orNull, "cost_granted": .money.orNull,
      "cost_remaining": .money.orNull, "currency": .currency.orNull,
      "expires_at": .instant.orNull, "note": .anyText.orNull, "created_at": .instant,
    ]))

  private static func write(
    _ credit: StoredCredit, zone: TimeZoneRules, to writer: inout JSONWriter
  ) {
    writer.object { object in
      object.member("id", credit.name)
      object.member("client_id", credit.clientID)
      object.member("tokens_granted", optional: credit.granted.tokens)
      object.member("tokens_remaining", optional: credit.remaining.tokens)
      object.member("cost_granted", credit.granted.money?.decimalText)
      object.member("cost_remaining", credit.remaining.money?.decimalText)
      object.member("currency", credit.granted.money?.currency.code)
      object.member("expires_at", credit.expiresAt.map(zone.rfc3339))
      object.member("note", credit.note)
      object.member("created_at", credit.createdAt.rfc3339)
    }
  }
}
