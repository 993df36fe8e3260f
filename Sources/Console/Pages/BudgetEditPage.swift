internal import Budgets
internal import Configuration
internal import JSON
internal import Money
internal import Pages

/// The form that creates or replaces a budget.
enum BudgetEditPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/budgets/new", .admin, query: [.client]
      ) { pageRequest throws(APIError) in
        page(pageRequest, Values(client: try pageRequest.call.query.text("client")), isNew: true)
      },
      PageRoute(.get, "/dashboard/budgets/{client}/{name}/edit", .admin, edit),
      PageRoute(.post, "/dashboard/budgets", .admin, save),
    ]
  }

  /// The values of the form's fields.
  private struct Values {
    var client = ""
    var name = ""
    var per = BudgetDefinition.Per.client.rawValue
    var tokens = ""
    var cost = ""
    var currency = ""
    var period = "\(BudgetPeriod.monthly)"
    var enforcement = BudgetDefinition.Enforcement.hard.rawValue
    var alerts = AlertThresholds.usual.text(separator: ", ")

    init(client: String?) {
      self.client = client ?? ""
    }

    init(_ form: PageForm) {
      client = form["client_id"] ?? ""
      name = form["name"] ?? ""
      per = form["per"] ?? per
      tokens = form["tokens"] ?? ""
      cost = form["cost"] ?? ""
      currency = form["currency"] ?? ""
      period = form["period"] ?? ""
      enforcement = form["enforcement"] ?? enforcement
      alerts = form["alerts"] ?? ""
    }

    init(_ budget: BudgetDefinition, _ reader: Reader) {
      client = budget.id.client
      name = budget.id.name
      per = budget.per.rawValue
      tokens = budget.limit.tokens.map(reader.number) ?? ""
      cost = budget.limit.cost.map { reader.decimal($0.decimalText) } ?? ""
      currency = budget.limit.cost?.currency.code ?? ""
      period = "\(budget.period)"
      enforcement = budget.enforcement.rawValue
      alerts = budget.alerts.map(String.init).joined(separator: ", ")
    }
  }

  private static func edit(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let id = BudgetCalls.id(in: pageRequest.call)
    guard let budget = pageRequest.call.server.readBudgets({ $0.definition(of: id) }) else {
      throw .notFound("budget \(id)")
    }
    try BudgetCalls.requireNotDeclared(id, pageRequest.call)
    return page(pageRequest, Values(budget, pageRequest.reader), isNew: false)
  }

  private static func save(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let values = Values(pageRequest.form)
    let reader = pageRequest.reader
    do throws(APIError) {
      let answer = try await pageRequest.perform(.post, PageAddress("/api/admin/budgets")) {
        write(pageRequest.form, reader, to: &$0)
      }
      let budget = try pageRequest.member("name", of: answer)
      let address = SitePath.budget(BudgetID(client: values.client, name: budget))
      return .redirect(to: address.with("done", Notice.Done.saved.rawValue))
    } catch {
      if error.status >= 500 { throw error }
      return page(pageRequest, values, isNew: pageRequest.form["is_new"] != nil, problem: error)
    }
  }

  /// Writes the members of the API's body that the form states.
  static func write(_ form: PageForm, _ reader: Reader, to budget: inout JSONWriter) {
    let values = Values(form)
    budget.member("client_id", values.client)
    if !values.name.isEmpty { budget.member("name", values.name) }
    budget.member("per", values.per)
    budget.memberOfForm("tokens", count: form["tokens"], reader)
    budget.memberOfForm("cost", amount: form["cost"], reader)
    if form["cost"] != nil { budget.member("currency", values.currency) }
    budget.member("period", values.period)
    budget.member("enforcement", values.enforcement)
    budget.member("alerts") { alerts in
      alerts.array { write(values.alerts, to: &$0) }
    }
  }

  /// Writes the percentages of alerts. A word that isn't a number is written as text, so that the
  /// API refuses it.
  private static func write(_ alerts: String, to list: inout JSONWriter) {
    for part in alerts.split(whereSeparator: { $0 == "," || $0 == " " || $0 == ";" }) {
      if let percent = Int64(part) { list.integer(percent) } else { list.string(String(part)) }
    }
  }

  // MARK: The form

  private static func page(
    _ pageRequest: PageRequest, _ values: Values, isNew: Bool, problem: APIError? = nil
  ) -> Answer {
    let reader = pageRequest.reader
    let title: Phrase = isNew ? .newBudget : .editBudget
    let currencies = pageRequest.call.settings.rates.currencies.map { ($0.code, $0.code) }
    let currency =
      values.currency.isEmpty ? pageRequest.call.settings.rates.billing.code : values.currency
    return pageRequest.page(
      title, in: .budgets, status: problem?.status ?? 200,
      #"""
      <div class="head"><h1>\#(reader(title))</h1></div><div class="stack">\#
      \#(Notice.problem(problem, reader))\#
      <form method="post" class="card fields" action="\#(SitePath.budgets)">\#
      \#(pageRequest.csrfField)\#
      \#(isNew ? newFields(values, pageRequest) : fixedFields(values, reader))\#
      \#(FilterField.choice("per", reader(.countsFor), values.per,
          BudgetDefinition.Per.allCases.map { ($0.rawValue, reader(.name(of: $0))) }))\#
      \#(InputField("tokens", reader(.tokenLimit), values.tokens, hint: reader(.limitHint)).html)\#
      \#(InputField("cost", reader(.moneyLimit), values.cost).html)\#
      \#(FilterField.choice("currency", reader(.currency), currency, currencies))\#
      \#(InputField("period", reader(.period), values.period, hint: reader(.periodHint)).html)\#
      \#(FilterField.choice("enforcement", reader(.enforcement), values.enforcement,
          BudgetDefinition.Enforcement.allCases.map { ($0.rawValue, reader(.name(of: $0))) }))\#
      \#(InputField("alerts", reader(.alertsAt), values.alerts, hint: reader(.alertsHint)).html)\#
      <div class="inline"><button class="primary">\#(reader(.save))</button>\#
      <a href="\#(SitePath.budgets)">\#(reader(.cancel))</a></div></form></div>
      """#)
  }

  private static func newFields(_ values: Values, _ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    return #"""
      <input type="hidden" name="is_new" value="1">\#
      \#(InputField("client_id", reader(.client), values.client, hint: reader(.clientHint)).html)\#
      \#(InputField("name", reader(.name), values.name, hint: reader(.nameHint)).html)
      """#
  }

  private static func fixedFields(_ values: Values, _ reader: Reader) -> HTML {
    #"""
    <input type="hidden" name="client_id" value="\#(values.client)">\#
    <input type="hidden" name="name" value="\#(values.name)">\#
    <p><code>\#(values.client)/\#(values.name)</code><br>\#
    <span class="small soft">\#(reader(.replaceHint))</span></p>
    """#
  }
}

extension Phrase {
  fileprivate static let editBudget = Phrase("Edit budget", "Editar orçamento")
  fileprivate static let tokenLimit = Phrase("Limit in tokens", "Limite em tokens")
  fileprivate static let moneyLimit = Phrase("Limit in money", "Limite em dinheiro")
  fileprivate static let limitHint = Phrase(
    "A limit in tokens, in money, or both.", "Um limite em tokens, em dinheiro, ou em ambos.")
  static let currency = Phrase("Currency", "Moeda")
  fileprivate static let periodHint = Phrase(
    "daily, weekly, monthly, total (never resets), or days, such as 30d",
    "daily (diário), weekly (semanal), monthly (mensal), total (nunca zera), ou dias, como 30d")
  fileprivate static let alertsAt = Phrase("Alerts at (%)", "Alertas em (%)")
  fileprivate static let alertsHint = Phrase(
    "Percentages from 1 to 100, ascending.", "Porcentagens de 1 a 100, em ordem crescente.")
  fileprivate static let clientHint = Phrase("The client's ID.", "O ID do cliente.")
  fileprivate static let nameHint = Phrase(
    "If empty: b1, b2 and so on.", "Se vazio: b1, b2 e assim por diante.")
  fileprivate static let replaceHint = Phrase(
    "The use so far still counts if “Applies to” and the period stay the same.",
    "O uso até agora continua valendo se “Vale para” e o período não mudarem.")
}
