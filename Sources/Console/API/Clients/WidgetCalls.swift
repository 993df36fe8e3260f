internal import Configuration
internal import Time

/// `POST /api/widget-tokens`: makes a token for a widget. The client's own server asks for it
/// before it shows the widget.
enum WidgetCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .post, "/api/widget-tokens", .adminOrKey,
        "Creates a token that shows the figures of a client, or of one user, for a short time",
        body: Fields(optional: [clientID, user, expiresIn]), answers: .created(fields.schema),
        showsSecret: true, handler: create)
    ]
  }

  private static let clientID = BodyField("client_id", .name)
  private static let user = BodyField("user", .text)
  private static let expiresIn = BodyField("expires_in", .integer(WidgetTokens.lifetimes))

  private struct MadeToken {
    let token: String
    let grant: WidgetGrant
  }

  private static let fields =
    ([
      .field("token", \.token), .field("path") { "/widget?token=\($0.token)" },
      .field("client_id", \.grant.client), .field("user", \.grant.user),
      .field("expires_at", \.grant.expiresAt),
    ] as AnswerFields<MadeToken>).named("WidgetToken")

  private static func create(_ call: Call) throws(APIError) -> Answer {
    let body = try call.body()
    let client = try client(body, call)
    let seconds = try body.read(expiresIn) ?? WidgetTokens.usualLifetimeSeconds
    let grant = WidgetGrant(
      client: client.id, user: try body.read(user),
      expiresAt: call.now.advanced(by: .seconds(seconds)))
    let maker = try WidgetMakers(call: call).digest()
    try call.claimKeyBeforeActing()
    let token = call.server.widgetTokens.token(for: grant, by: maker)
    return Answer(status: 201, fields, MadeToken(token: token, grant: grant))
  }

  /// The client that the body names; for a key, its own client.
  private static func client(_ body: Body, _ call: Call) throws(APIError) -> Client {
    let named = try body.read(clientID)
    if case .key(let owner) = call.credential {
      try call.permit(named ?? owner.client.id)
      return owner.client
    }
    return try call.client(try body.require("client_id", named))
  }
}
