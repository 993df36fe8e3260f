import Testing
import Time

/// The life of one resource of the admin API, call by call, and the calls that are refused.
struct ResourceLife: CustomTestStringConvertible, Sendable {
  /// A call and what it is answered with.
  struct Step: Sendable {
    let call: String
    var body = ""
    var caller = ConsoleBench.Caller.admin
    let status: Int
    /// Texts that the answer has.
    var shows: [String] = []
    /// Texts that it doesn't have.
    var hides: [String] = []
    /// The code of an error, and the field that it is about.
    var code: String?
    var param: String?

    /// - Parameter shows: a text that the answer has.
    static func done(
      _ call: String, _ body: String = "", _ status: Int = 200, _ shows: String...,
      hides: String..., by caller: ConsoleBench.Caller = .admin
    ) -> Step {
      Step(
        call: call, body: body, caller: caller, status: status, shows: shows, hides: hides)
    }

    static func refused(
      _ call: String, _ body: String = "", _ status: Int, _ code: String, _ param: String? = nil,
      by caller: ConsoleBench.Caller = .admin
    ) -> Step {
      Step(call: call, body: body, caller: caller, status: status, code: code, param: param)
    }
  }

  let resource: String
  let steps: [Step]

  var testDescription: String { resource }
}

extension ResourceLife {
  static let all = [
    clients, keys, budgets, budgetActions, plans, subscriptions, credits, prices, objects, widgets,
    alerts, charges, logs,
  ]

  private static let clients = ResourceLife(
    resource: "clients",
    steps: [
      .done("GET /api/admin/clients", "", 200, "\"id\":\"acme\"", hides: "gamma"),
      .done("POST /api/admin/clients", "{\"id\":\"gamma\"}", 201, "\"source\":\"api\""),
      .refused("POST /api/admin/clients", "{\"id\":\"gamma\"}", 409, "already_exists"),
      .refused("POST /api/admin/clients", "{}", 400, "missing_field", "id"),
      .refused("POST /api/admin/clients", "{\"id\":\"a b\"}", 400, "invalid_value", "id"),
      .refused("POST /api/admin/clients", "{\"id\":\"d\",\"x\":1}", 400, "unknown_field", "x"),
      .refused("POST /api/admin/clients", "{", 400, "invalid_json"),
      .refused("POST /api/admin/clients", "{\"id\":\"d\"}", 403, "forbidden", by: .viewer),
      .refused("POST /api/admin/clients", "{\"id\":\"d\"}", 403, "forbidden", by: .key),
      .refused("POST /api/admin/clients", "{\"id\":\"d\"}", 401, "invalid_api_key", by: .stranger),
      .done("GET /api/admin/clients/gamma", "", 200, "\"name\":\"gamma\"", by: .viewer),
      .done("PATCH /api/admin/clients/gamma", "{\"name\":\"G\"}", 200, "\"name\":\"G\""),
      .done(
        "PATCH /api/admin/clients/gamma", "{\"status\":\"suspended\"}", 200,
        "\"status\":\"suspended\"", "\"name\":\"G\""),
      .refused(
        "PATCH /api/admin/clients/gamma", "{\"status\":\"gone\"}", 400, "invalid_value", "status"),
      .refused(
        "PATCH /api/admin/clients/gamma", "{\"timezone\":\"Mars\"}", 400, "invalid_value",
        "timezone"),
      .refused("PATCH /api/admin/clients/none", "{\"name\":\"G\"}", 404, "not_found"),
      .refused("PATCH /api/admin/clients/acme", "{\"name\":\"A\"}", 409, "declared_in_file"),
      .refused("DELETE /api/admin/clients/acme", "", 409, "declared_in_file"),
      .refused("GET /api/admin/clients?x=1", "", 400, "unknown_field", "x"),
      .refused("GET /api/admin/clients?limit=0", "", 400, "invalid_value", "limit"),
      .done("DELETE /api/admin/clients/gamma", "", 204),
      .refused("GET /api/admin/clients/gamma", "", 404, "not_found"),
      .refused("POST /api/admin/clients", "{\"id\":\"gamma\"}", 409, "already_exists"),
      .refused("PUT /api/admin/clients", "{}", 405, "method_not_allowed"),
      .refused("GET /api/admin/client", "", 404, "not_found"),
    ])

  private static let keys = ResourceLife(
    resource: "keys",
    steps: [
      .done("GET /api/admin/clients/acme/keys", "", 200, "\"name\":\"web\"", hides: "sk-ctr-"),
      .done(
        "POST /api/admin/clients/acme/keys", "{\"name\":\"bot\",\"requests_per_minute\":6}", 201,
        "\"secret\":\"sk-ctr-", "\"requests_per_minute\":6"),
      .refused("POST /api/admin/clients/acme/keys", "{\"name\":\"bot\"}", 409, "already_exists"),
      .refused("POST /api/admin/clients/acme/keys", "{}", 400, "missing_field", "name"),
      .refused(
        "POST /api/admin/clients/acme/keys", "{\"name\":\"b\",\"operations\":[\"fly\"]}", 400,
        "invalid_value", "operations"),
      .refused("POST /api/admin/clients/none/keys", "{\"name\":\"b\"}", 404, "not_found"),
      .refused(
        "POST /api/admin/clients/acme/keys", "{\"name\":\"b\"}", 403, "forbidden", by: .viewer),
      .done("GET /api/admin/clients/acme/keys/bot", "", 200, "\"active\"", hides: "secret"),
      .done(
        "PATCH /api/admin/clients/acme/keys/bot", "{\"models\":[\"gpt-*\"]}", 200, "gpt-*",
        "\"requests_per_minute\":6"),
      .done(
        "PATCH /api/admin/clients/acme/keys/bot", "{\"requests_per_minute\":null}", 200,
        "\"requests_per_minute\":null"),
      .refused(
        "PATCH /api/admin/clients/acme/keys/web", "{\"models\":[\"m\"]}", 409,
        "declared_in_file"),
      .done(
        "POST /api/admin/clients/acme/keys/bot/rotate", "{\"overlap_seconds\":0}", 200,
        "\"secret\":\"sk-ctr-"),
      .refused(
        "POST /api/admin/clients/acme/keys/bot/rotate", "{\"overlap_seconds\":-1}", 400,
        "invalid_value", "overlap_seconds"),
      .refused("DELETE /api/admin/clients/acme/keys/web", "", 409, "declared_in_file"),
      .done("DELETE /api/admin/clients/acme/keys/bot", "", 204),
      .done("GET /api/admin/clients/acme/keys?status=active", "", 200, hides: "\"bot\""),
      .refused("DELETE /api/admin/clients/acme/keys/none", "", 404, "not_found"),
    ])

  private static let budgets = ResourceLife(
    resource: "budgets",
    steps: [
      .done("GET /api/admin/budgets", "", 200, "acme/month", "\"source\":\"file\""),
      .done(
        "POST /api/admin/budgets",
        "{\"client_id\":\"acme\",\"name\":\"day\",\"tokens\":500,\"period\":\"daily\"}", 201,
        "\"id\":\"acme/day\"", "\"mode\":\"tokens\"", "\"enforcement\":\"hard\""),
      .done(
        "POST /api/admin/budgets",
        "{\"client_id\":\"acme\",\"name\":\"day\",\"tokens\":600,\"period\":\"daily\"}", 200,
        "\"limit_tokens\":600"),
      .refused("POST /api/admin/budgets", "{\"tokens\":5}", 400, "missing_field", "client_id"),
      .refused(
        "POST /api/admin/budgets", "{\"client_id\":\"acme\",\"tokens\":-1}", 400, "invalid_value",
        "tokens"),
      .refused(
        "POST /api/admin/budgets", "{\"client_id\":\"acme\",\"tokens\":5,\"period\":\"hourly\"}",
        400, "invalid_value", "period"),
      .refused(
        "POST /api/admin/budgets", "{\"client_id\":\"acme\",\"mode\":\"cost\",\"tokens\":5}", 400,
        "invalid_value", "tokens"),
      .refused(
        "POST /api/admin/budgets", "{\"client_id\":\"acme\",\"tokens\":5,\"alerts\":[90,80]}", 400,
        "invalid_value", "alerts"),
      .refused(
        "POST /api/admin/budgets", "{\"client_id\":\"none\",\"tokens\":5}", 404, "not_found"),
      .refused(
        "POST /api/admin/budgets", "{\"client_id\":\"acme\",\"name\":\"month\",\"tokens\":5}", 409,
        "declared_in_file"),
      .refused(
        "POST /api/admin/budgets", "{\"client_id\":\"acme\",\"tokens\":5}", 403, "forbidden",
        by: .viewer),
      .done("GET /api/admin/budgets/acme/day", "", 200, "\"limit_tokens\":600", by: .viewer),
      .done("GET /api/admin/budgets/acme%2Fday", "", 200, "\"limit_tokens\":600"),
      .done("GET /api/admin/budgets/acme/day/subjects", "", 200, "\"data\":["),
      .refused("DELETE /api/admin/budgets/acme/month", "", 409, "declared_in_file"),
      .done("DELETE /api/admin/budgets/acme/day", "", 204),
      .refused("GET /api/admin/budgets/acme/day", "", 404, "not_found"),
      .done("GET /api/budget/status", "", 200, "\"has_budget\":true", by: .key),
      .refused("GET /api/budget/status?client=other", "", 403, "forbidden", by: .key),
    ])

  private static let inAnHour =
    Timestamp.readSystemClock().advanced(by: .seconds(3_600)).rfc3339

  private static let budgetActions = ResourceLife(
    resource: "a budget's pause, raise and reset",
    steps: [
      .done(
        "POST /api/admin/budgets/acme/month/pause", "{\"note\":\"n\"}", 200, "\"is_paused\":true",
        "\"pause_reason\":\"manual\""),
      .done("POST /api/admin/budgets/acme/month/resume", "{}", 200, "\"is_paused\":false"),
      .done(
        "POST /api/admin/budgets/acme/month/raise", "{\"tokens\":50,\"until\":\"\(inAnHour)\"}",
        200,
        "\"limit_tokens\":1050", "\"raised\":{"),
      .done("GET /api/admin/budgets/acme/month", "", 200, "\"limit_tokens\":1050"),
      .refused(
        "POST /api/admin/budgets/acme/month/raise",
        "{\"tokens\":50,\"until\":\"2099-01-01T00:00:00Z\"}", 400, "invalid_value", "until"),
      .refused(
        "POST /api/admin/budgets/acme/month/raise", "{\"tokens\":50}", 400, "missing_field",
        "until"),
      .refused(
        "POST /api/admin/budgets/acme/month/raise",
        "{\"tokens\":50,\"until\":\"2020-01-01T00:00:00Z\"}", 400, "invalid_value", "until"),
      .done(
        "POST /api/admin/budgets/acme/month/reset", "{\"usage\":\"clear\"}", 200,
        "\"current_tokens\":0"),
      .refused(
        "POST /api/admin/budgets/acme/month/reset", "{}", 400, "missing_field", "usage"),
      .refused(
        "POST /api/admin/budgets/acme/month/reset", "{\"usage\":\"half\"}", 400, "invalid_value",
        "usage"),
      .refused("POST /api/admin/budgets/acme/none/pause", "{}", 404, "not_found"),
      .refused(
        "POST /api/admin/budgets/acme/month/pause", "{\"subject\":\"user:u\"}", 400,
        "invalid_value", "subject"),
      .refused("POST /api/admin/budgets/acme/month/pause", "{}", 403, "forbidden", by: .viewer),
    ])
}
