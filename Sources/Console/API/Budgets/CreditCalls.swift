internal import Budgets
internal import Configuration
internal import Ledger
internal import Money
internal import Time

/// `/api/admin/credits`: tokens or money that a client may use on top of its plan.
enum CreditCalls {
  private static let path = "/api/admin/credits"

  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, path, .viewer, "Lists the credits", query: [.client] + QueryParameter.page,
        answers: .ok(.page(of: fields.schema)), handler: list),
      APIRoute(
        .post, path, .admin, "Adds a credit, which is used when the plan is used up",
        body: body, answers: .created(fields.schema), handler: grant),
    ]
  }

  private static let clientID = BodyField("client_id", .name)
  private static let tokens = BodyField("tokens", .integer(Credit.Amount.tokenCounts))
  private static let cost = BodyField("cost", .amount)
  private static let currency = BodyField("currency", .currency)
  private static let note = BodyField("note", .text)
  private static func expiresAt(in zone: TimeZoneRules) -> BodyField<Timestamp> {
    BodyField("expires_at", .moment(in: zone))
  }
  static let body = Fields(
    required: [clientID], optional: [tokens, cost, currency, expiresAt(in: .utc), note])

  /// A credit, and the time zone of its client.
  private struct Row {
    let credit: StoredCredit
    let zone: TimeZoneRules
  }

  private static let fields =
    ([
      .field("id", \.credit.name), .field("client_id", \.credit.clientID),
      .field("tokens_granted", \.credit.granted.tokens),
      .field("tokens_remaining", \.credit.remaining.tokens),
      .field("cost_granted", \.credit.granted.money),
      .field("cost_remaining", \.credit.remaining.money),
      .field("currency", \.credit.granted.money?.currency),
      .field("expires_at", as: .instant.orNull) { $0.credit.expiresAt.map($0.zone.rfc3339) },
      .field("note", \.credit.note), .field("created_at", \.credit.createdAt),
    ] as AnswerFields<Row>).named("Credit")

  private static func list(_ call: Call) throws(APIError) -> Answer {
    let client = try call.query.text("client")
    let after = try call.query.integer("after", in: 0...Int64.max) ?? 0
    let limit = try call.query.limit()
    let credits = try call.read { reader throws(LedgerError) in
      try reader.credits(ofClient: client, after: after, limit: limit + 1)
    }
    return Page(credits, limit: limit) { "\($0.id)" }.answer { credit, data in
      let zone = call.clients.client(credit.clientID)?.timeZone ?? .utc
      fields.write(Row(credit: credit, zone: zone), to: &data)
    }
  }

  private static func grant(_ call: Call) async throws(APIError) -> Answer {
    let body = try call.body()
    let client = try call.client(try body.require(clientID))
    let credit = StoredCredit(
      clientID: client.id, granted: try amount(in: body, call.settings.rates),
      expiresAt: try body.read(expiresAt(in: client.timeZone)),
      note: try body.read(note), createdAt: call.now)
    if let end = credit.expiresAt, end <= call.changedAt {
      throw .invalidValue("expires_at", allowed: "a time in the future")
    }
    let id = try await call.change { editor throws(LedgerError) in try editor.grant(credit).id }
    let granted = try call.read { reader throws(LedgerError) in
      try reader.credits(ofClient: client.id, after: id - 1, limit: 1).first
    }
    guard let granted else { throw .notFound("credit of client \(client.id)") }
    return Answer(status: 201, fields, Row(credit: granted, zone: client.timeZone))
  }

  static func amount(in body: Body, _ rates: ExchangeRates) throws(APIError) -> Credit.Amount {
    let (tokens, cost, currency) = (
      try body.read(tokens), try body.read(cost), try body.read(currency)
    )
    do throws(FieldMistake) {
      return try Credit.Amount(
        tokens: tokens, cost: cost, currency: currency, rates)
    } catch {
      throw APIError(error)
    }
  }
}
