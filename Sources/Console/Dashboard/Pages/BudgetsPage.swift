internal import Budgets
internal import Pages

/// All budgets, those closest to their limits first.
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

  private static func show(_ visit: Visit) throws(APIError) -> Answer {
    let reader = visit.reader
    let query = visit.call.query
    let client = try query.text("client")
    let per: BudgetDefinition.Per? = try query.choice("per")
    let level: AccountStatus.Level? = try query.choice("state")
    let found = BudgetCalls.statuses(client: client, per: per, level: level, visit.call)
      .sorted(by: BudgetCalls.isFuller)
    let entries = try BudgetForm.forms(Array(found.prefix(mostBudgets)), visit.call)
      .map { BudgetCard($0, for: visit).entry(withClient: nil) }
    let list: HTML =
      entries.isEmpty
      ? "<p>\(reader(.nothingYet))</p>" : #"<ul class="budgets">\#(entries)</ul>"#
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
    return visit.page(
      .budgets, in: .budgets, isLive: true,
      #"""
      <div class="head"><h1>\#(reader(.budgets))</h1>\#(newButton(visit, client))</div>\#
      <div class="stack">\#(Notice.done(visit))<div class="card">\#(form.html)</div>\#
      <div class="card" id="list" data-live>\#(list)</div></div>
      """#)
  }

  private static func newButton(_ visit: Visit, _ client: String?) -> HTML? {
    guard visit.mayChange else { return nil }
    let address = SitePath.budgets.appending("new").with("client", client)
    return #"<a class="button primary" href="\#(address)">\#(visit.reader(.newBudget))</a>"#
  }
}

extension Phrase {
  static let newBudget = Phrase("New budget", "Novo orçamento")
  static let countsFor = Phrase("Counts for", "Vale para")
}
