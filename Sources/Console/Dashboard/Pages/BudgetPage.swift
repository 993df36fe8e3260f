internal import Budgets
internal import JSON
internal import Pages
internal import Time

/// One budget: how it stands, for whom, and what can be done to it.
enum BudgetPage {
  static var routes: [PageRoute] {
    [
      PageRoute(.get, path, .viewer, query: [Notice.parameter]) { visit throws(APIError) in
        try page(visit)
      },
      PageRoute(.post, path + "/pause", .admin) { visit throws(APIError) in
        try await act(visit, "pause", .paused) { $0.member("note", visit.form["note"]) }
      },
      PageRoute(.post, path + "/resume", .admin) { visit throws(APIError) in
        try await act(visit, "resume", .resumed) { _ in }
      },
      PageRoute(.post, path + "/reset", .admin) { visit throws(APIError) in
        try await act(visit, "reset", .reset) { $0.member("usage", visit.form["usage"]) }
      },
      PageRoute(.post, path + "/raise", .admin) { visit throws(APIError) in
        try await act(visit, "raise", .raised) { raise in
          raise.memberOfForm("tokens", count: visit.form["tokens"], visit.reader)
          raise.memberOfForm("cost", amount: visit.form["cost"], visit.reader)
          raise.member("until", visit.form["until"])
          if let subject = visit.form["subject"] { raise.member("subject", subject) }
        }
      },
      PageRoute(.post, path + "/remove", .admin, remove),
    ]
  }

  private static let path = "/dashboard/budgets/{client}/{name}"
  private static let mostSubjects = 100

  private static func page(
    _ visit: Visit, problem: APIError? = nil
  ) throws(APIError) -> Answer {
    let id = BudgetCalls.id(in: visit.call)
    let now = visit.now
    guard let status = visit.call.server.readBudgets({ try? $0.status(of: id, at: now) }),
      let form = try BudgetForm.forms([status], visit.call).first
    else { throw .notFound("budget \(id)") }
    let reader = visit.reader
    return visit.page(
      "\(id)", in: .budgets, status: problem?.status ?? 200, isLive: true,
      #"""
      <div class="head"><h1>\#("\(id)")</h1>\#(editButton(form, visit))</div><div class="stack">\#
      \#(Notice.done(visit))\#(Notice.problem(problem, reader))\#
      <div id="budget" data-live>\#(BudgetCard(form, for: visit).html)</div>\#
      \#(try subjects(form, visit))\#(visit.mayChange ? actions(form, visit) : nil)</div>
      """#)
  }

  private static func editButton(_ form: BudgetForm, _ visit: Visit) -> HTML? {
    guard visit.mayChange, form.canBeChanged else { return nil }
    let address = SitePath.budget(form.status.definition.id, "edit")
    return #"<a class="button" href="\#(address)">\#(visit.reader(.edit))</a>"#
  }

  // MARK: For whom

  private static func subjects(_ form: BudgetForm, _ visit: Visit) throws(APIError) -> HTML? {
    let definition = form.status.definition
    if definition.per == .client { return nil }
    let now = visit.now
    let all = visit.call.server.readBudgets { try? $0.subjects(of: definition.id, at: now) } ?? []
    let reader = visit.reader
    let entries = try BudgetForm.forms(Array(all.prefix(mostSubjects)), visit.call).map {
      BudgetCard($0, for: visit).entry(withClient: nil)
    }
    return #"""
      <section class="card"><h2>\#(reader(.fullestFirst(reader.number(Int64(all.count)))))</h2>\#
      <ul class="budgets" id="subjects" data-live>\#(entries)</ul></section>
      """#
  }

  // MARK: What can be done

  private static func actions(_ form: BudgetForm, _ visit: Visit) -> HTML {
    let parts = BudgetActionForms(form, visit)
    return #"""
      <div class="columns"><section class="card"><h2>\#(visit.reader(.raiseForAWhile))</h2>\#
      \#(parts.raise)</section>\#
      <section class="card"><h2>\#(visit.reader(.pauseOrReset))</h2>\#
      <div class="stack">\#(parts.pause)\#(parts.reset)\#(parts.remove)</div></section></div>
      """#
  }

  /// Calls the API, and goes back to the page that the form was on; where it didn't work, the
  /// budget's page says why.
  private static func act(
    _ visit: Visit, _ action: String, _ done: Notice.Done,
    _ write: (inout JSONWriter) -> Void
  ) async throws(APIError) -> Answer {
    let id = BudgetCalls.id(in: visit.call)
    do throws(APIError) {
      let call = PageAddress("/api/admin/budgets").appending(id.client, id.name, action)
      _ = try await visit.perform(.post, call, write)
    } catch {
      if error.status >= 500 || error.status == 404 { throw error }
      return try page(visit, problem: error)
    }
    return .redirect(to: visit.wayBack(done: done, else: SitePath.budget(id)))
  }

  private static func remove(_ visit: Visit) async throws(APIError) -> Answer {
    let id = BudgetCalls.id(in: visit.call)
    do throws(APIError) {
      let call = PageAddress("/api/admin/budgets").appending(id.client, id.name)
      _ = try await visit.perform(.delete, call) { _ in }
    } catch {
      return try page(visit, problem: error)
    }
    return .redirect(to: SitePath.budgets.with("done", Notice.Done.removed.rawValue))
  }
}

extension JSONWriter {
  /// A number that a form says in its reader's spelling; nothing where it says none. What isn't a
  /// number is handed on as text, so that the API says what is allowed.
  mutating func memberOfForm(_ name: String, count text: String?, _ reader: Reader) {
    guard let text else { return }
    let plain = reader.plainDecimal(text)
    if let number = Int64(plain) { member(name, number) } else { member(name, plain) }
  }

  /// An amount of money, as `memberOfForm(_:count:_:)`.
  mutating func memberOfForm(_ name: String, amount text: String?, _ reader: Reader) {
    if let text { member(name, reader.plainDecimal(text)) }
  }
}

extension Phrase {
  static let edit = Phrase("Edit", "Editar")
  fileprivate static let raiseForAWhile = Phrase("Raise for a while", "Ampliar por um tempo")
  fileprivate static let pauseOrReset = Phrase("Pause, reset, remove", "Pausar, zerar, remover")
  fileprivate static func fullestFirst(_ count: String) -> Phrase {
    Phrase("\(count) subjects, fullest first", "\(count) sujeitos, os mais cheios primeiro")
  }
}
