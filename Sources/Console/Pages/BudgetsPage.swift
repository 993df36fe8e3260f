internal import Budgets
internal import Pages

/// All budgets, closest to their limits first.
enum BudgetsPage {
  static var routes: [PageRoute] {
    [
      PageRoute(
        .get, "/dashboard/budgets", .viewer,
        query: ["client", "per", "state"].map { QueryParameter($0, "") } + [Notice.parameter],
        show)
    ]
  }

  private static let mostBudgets = 200

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let query = pageRequest.call.query
    let client = try query.text("client")
    let per: BudgetDefinition.Per? = try query.choice("per")
    let level: AccountStatus.Level? = try query.choice("state")
    let found = BudgetCalls.statuses(client: client, per: per, level: level, pageRequest.call)
      .sorted(by: BudgetCalls.isFuller)
    let entries = try BudgetJSON.forms(Array(found.prefix(mostBudgets)), pageRequest.call)
      .map { BudgetCard($0, for: pageRequest).entry(withClient: nil) }
    let list: HTML =
      entries.isEmpty
      ? "<p>\(reader(.noBudgetFound))</p>" : #"<ul class="budgets">\#(entries)</ul>"#
    let form = FilterForm(
      SitePath.budgets,
      [
        FilterField.text("client", reader(.client), client),
        FilterField.choice(
          "per", reader(.countsFor), per?.rawValue,
          [("", reader(.all))]
            + BudgetDefinition.Per.allCases.map { ($0.rawValue, reader(.name(of: $0))) }),
        FilterField.choice(
          "state", reader(.status), level?.rawValue,
          [("", reader(.all))]
            + AccountStatus.Level.allCases.map { ($0.rawValue, reader(.name(of: $0))) }),
      ], button: reader(.show))
    return pageRequest.page(
      .budgets, in: .budgets, isLive: true,
      #"""
      <div class="head"><h1>\#(reader(.budgets))</h1>\#(newButton(pageRequest, client))</div>\#
      <div class="stack">\#(Notice.done(pageRequest))<div class="card">\#(form.html)</div>\#
      <div class="card" id="list" data-live>\#(list)</div></div>
      """#)
  }

  private static func newButton(_ pageRequest: PageRequest, _ client: String?) -> HTML? {
    guard pageRequest.mayChange else { return nil }
    let address = SitePath.budgets.appending("new").with("client", client)
    return #"<a class="button primary" href="\#(address)">\#(pageRequest.reader(.newBudget))</a>"#
  }
}

extension Phrase {
  static let newBudget = Phrase("New budget", "Novo orçamento")
  fileprivate static let noBudgetFound = Phrase(
    "No budget found.", "Nenhum orçamento encontrado.")
  static let countsFor = Phrase("Applies to", "Vale para")
}
