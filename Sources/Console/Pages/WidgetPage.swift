internal import Budgets
internal import Configuration
internal import HTTP
internal import Ledger
internal import Money
internal import Pages
internal import Time

/// A client's figures for its own site, by a short-lived token or by its key.
///
/// The widget is a bar with the use, the limit and the next reset. With `view=page` it is a whole
/// page: all budgets of the client, and its use over 30 days.
enum WidgetPage {
  static let stylesheet = PageAddress("/widget/style.css")
  static let icon = PageAddress("/widget/icon.svg")

  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/widget", .anyone,
        query: [
          QueryParameter("token", "a token of POST /api/widget-tokens"),
          QueryParameter("view", "bar or page"), QueryParameter("language", "en or pt-BR"),
          QueryParameter("theme", "system, light or dark"),
        ], show),
      SiteFiles.file(stylesheet.text, "text/css; charset=utf-8", Stylesheet.text),
      SiteFiles.file(icon.text, "image/svg+xml", Icon.file),
    ]
  }

  private enum View: String, CaseIterable {
    case bar, page
  }

  /// The client, or the user of a client, whose figures are shown.
  private struct Subject {
    let client: Client
    let user: String?
  }

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let query = pageRequest.call.query
    let view: View = try query.choice("view") ?? .bar
    let language = try query.choice("language", Language.self) ?? pageRequest.preferences.language
    let theme = try query.choice("theme", PageFrame.Theme.self) ?? pageRequest.preferences.theme
    let reader = Reader(language: language)
    let subject = try subject(pageRequest)
    let content =
      switch view {
      case .bar: try bar(subject, pageRequest, reader)
      case .page: try page(subject, pageRequest, reader)
      }
    var answer = Answer(
      page: PageFrame(subject.client.name, for: reader, theme: theme).widget(
        content, stylesheet: stylesheet, icon: icon))
    let ancestors = pageRequest.call.settings.widget.frameAncestors.joined(separator: " ")
    answer.fields = SiteFields.ofWidgets(frameAncestors: ancestors)
    return answer
  }

  private static func subject(_ pageRequest: PageRequest) throws(APIError) -> Subject {
    let call = pageRequest.call
    if let token = try call.query.token("token") {
      let tokens = call.server.widgetTokens
      guard let client = tokens.claimedClient(in: token).flatMap({ call.clients.client($0) }),
        let grant = tokens.grant(
          of: token, by: try WidgetMakers(call: call).digests(for: client), at: call.now)
      else { throw .expiredLink }
      return Subject(client: client, user: grant.user)
    }
    guard let secret = Credential.secret(in: pageRequest.head.fields.first(.authorization)),
      case .key(let owner) = try pageRequest.signIns.credential(
        of: secret, from: pageRequest.network, at: call.now)
    else { throw .expiredLink }
    return Subject(client: owner.client, user: nil)
  }

  // MARK: Figures

  /// The budgets that apply to the subject, the tightest first.
  private static func forms(
    _ subject: Subject, _ pageRequest: PageRequest
  ) throws(APIError) -> [BudgetJSON] {
    let now = pageRequest.now
    let caller = Caller(
      client: subject.client.id, key: "", user: subject.user ?? "", conversation: "", model: "")
    let statuses = pageRequest.call.server.readBudgets { $0.statuses(for: caller, at: now) }
      .filter { status in
        // Budgets over all clients would show the figures of other clients. For one user, the
        // client's budgets would show those of other users.
        guard status.definition.id.client == subject.client.id else { return false }
        switch status.definition.per {
        case .user: return subject.user != nil
        case .client: return subject.user == nil
        case .key, .model, .conversation: return false
        }
      }
    return try BudgetJSON.forms(statuses.sorted(by: BudgetStatusCalls.isTighter), pageRequest.call)
  }

  private static func bar(
    _ subject: Subject, _ pageRequest: PageRequest, _ reader: Reader
  ) throws(APIError) -> HTML {
    guard let form = try forms(subject, pageRequest).first else {
      return "<p>\(reader(.unlimited))</p>"
    }
    return BudgetCard(form, reader: reader, now: pageRequest.now).widget
  }

  private static func page(
    _ subject: Subject, _ pageRequest: PageRequest, _ reader: Reader
  ) throws(APIError) -> HTML {
    let cards = try forms(subject, pageRequest).map {
      BudgetCard($0, reader: reader, now: pageRequest.now).widget
    }
    let zone = subject.client.timeZone
    let report = UsageReportView(
      pageRequest.call, client: subject.client.id, user: subject.user, zone: zone, days: days)
    let charts = UsageCharts(
      try report.series(by: .day), by: .day, in: pageRequest.call.settings.rates.billing,
      for: reader)
    let unlimited: HTML = "<p>\(reader(.unlimited))</p>"
    return #"""
      <div class="stack"><h1>\#(subject.user ?? subject.client.name)</h1>\#
      \#(cards.isEmpty ? [unlimited] : cards)\#
      <h2>\#(reader(.lastDays(days)))</h2>\#(charts.html)</div>
      """#
  }

  private static let days = 30
}

extension APIError {
  /// The refusal of a widget's token, in words for the visitors of the site that shows the widget.
  fileprivate static var expiredLink: APIError {
    var error = invalidCredential
    error.phrase = Phrase(
      "This link is not valid, or has expired.", "Este link não é válido ou expirou.")
    return error
  }
}

extension Phrase {
  fileprivate static let unlimited = Phrase("No limit.", "Sem limite.")
}
