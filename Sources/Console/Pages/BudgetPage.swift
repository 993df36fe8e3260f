internal import Budgets
internal import JSON
internal import Pages
internal import Time

/// One budget: its state, its accounts and its actions.
enum BudgetPage {
  static var routes: [PageRoute] {
    [
      PageRoute(.get, path, .viewer, query: [Notice.parameter]) { pageRequest throws(APIError) in
        try page(pageRequest)
      },
      PageRoute(.post, path + "/pause", .admin) { pageRequest throws(APIError) in
        try await act(pageRequest, "pause", .paused) { $0.member("note", pageRequest.form["note"]) }
      },
      PageRoute(.post, path + "/resume", .admin) { pageRequest throws(APIError) in
        try await act(pageRequest, "resume", .resumed) { _ in }
      },
      PageRoute(.post, path + "/reset", .admin) { pageRequest throws(APIError) in
        try await act(pageRequest, "reset", .reset) {
          $0.member("usage", pageRequest.form["usage"])
        }
      },
      PageRoute(.post, path + "/raise", .admin) { pageRequest throws(APIError) in
        try await act(pageRequest, "raise", .raised) { raise in
          raise.memberOfForm("tokens", count: pageRequest.form["tokens"], pageRequest.reader)
          raise.memberOfForm("cost", amount: pageRequest.form["cost"], pageRequest.reader)
          raise.member("until", pageRequest.form["until"])
          if let subject = pageRequest.form["subject"] { raise.member("subject", subject) }
        }
      },
      PageRoute(.post, path + "/remove", .admin, remove),
    ]
  }

  private static let path = "/dashboard/budgets/{client}/{name}"
  private static let mostSubjects = 100

  private static func page(
    _ pageRequest: PageRequest, problem: APIError? = nil
  ) throws(APIError) -> Answer {
    let id = BudgetCalls.id(in: pageRequest.call)
    let now = pageRequest.now
    guard let status = pageRequest.call.server.readBudgets({ try? $0.status(of: id, at: now) }),
      let form = try BudgetJSON.forms([status], pageRequest.call).first
    else { throw .notFound("budget \(id)") }
    let reader = pageRequest.reader
    return pageRequest.page(
      reader.name(of: id), in: .budgets, status: problem?.status ?? 200, isLive: true,
      #"""
      <div class="head"><h1>\#(reader.name(of: id))</h1>\#(editButton(form, pageRequest))</div>\#
      <div class="stack">\#
      \#(Notice.done(pageRequest))\#(Notice.problem(problem, reader))\#
      <div id="budget" data-live>\#(BudgetCard(form, for: pageRequest).html)</div>\#
      \#(try subjects(form, pageRequest))\#
      \#(pageRequest.mayChange ? actions(form, pageRequest) : nil)</div>
      """#)
  }

  private static func editButton(_ form: BudgetJSON, _ pageRequest: PageRequest) -> HTML? {
    guard pageRequest.mayChange, form.canBeChanged else { return nil }
    let address = SitePath.budget(form.status.definition.id, "edit")
    return #"<a class="button" href="\#(address)">\#(pageRequest.reader(.edit))</a>"#
  }

  // MARK: For whom

  private static func subjects(_ form: BudgetJSON, _ pageRequest: PageRequest) throws(APIError)
    -> HTML?
  {
    let definition = form.status.definition
    if definition.per == .client { return nil }
    let now = pageRequest.now
    let all =
      pageRequest.call.server.readBudgets { try? $0.subjects(of: definition.id, at: now) } ?? []
    let reader = pageRequest.reader
    let entries = try BudgetJSON.forms(Array(all.prefix(mostSubjects)), pageRequest.call).map {
      BudgetCard($0, for: pageRequest).entry(withClient: nil)
    }
    let title = reader(.accounts(of: definition.per, reader.number(Int64(all.count))))
    return #"""
      <section class="card"><h2>\#(title)</h2>\#
      <ul class="budgets" id="subjects" data-live>\#(entries)</ul></section>
      """#
  }

  // MARK: What can be done

  private static func actions(_ form: BudgetJSON, _ pageRequest: PageRequest) -> HTML {
    let parts = BudgetActionForms(form, pageRequest)
    return #"""
      <div class="columns"><section class="card"><h2>\#(pageRequest.reader(.raiseForAWhile))</h2>\#
      \#(parts.raise)</section>\#
      <section class="card"><h2>\#(pageRequest.reader(.pauseOrReset))</h2>\#
      <div class="stack">\#(parts.pause)\#(parts.reset)\#(parts.remove)</div></section></div>
      """#
  }

  /// Calls the API and returns to the page that the form was on. After an error, shows the budget's
  /// page with the reason.
  private static func act(
    _ pageRequest: PageRequest, _ action: String, _ done: Notice.Done,
    _ write: (inout JSONWriter) -> Void
  ) async throws(APIError) -> Answer {
    let id = BudgetCalls.id(in: pageRequest.call)
    do throws(APIError) {
      let call = PageAddress("/api/admin/budgets").appending(id.client, id.name, action)
      _ = try await pageRequest.perform(.post, call, write)
    } catch {
      if error.status >= 500 || error.status == 404 { throw error }
      return try page(pageRequest, problem: error)
    }
    return .redirect(to: pageRequest.wayBack(done: done, else: SitePath.budget(id)))
  }

  private static func remove(_ pageRequest: PageRequest) async throws(APIError) -> Answer {
    let id = BudgetCalls.id(in: pageRequest.call)
    do throws(APIError) {
      let call = PageAddress("/api/admin/budgets").appending(id.client, id.name)
      _ = try await pageRequest.perform(.delete, call) { _ in }
    } catch {
      return try page(pageRequest, problem: error)
    }
    return .redirect(to: SitePath.budgets.with("done", Notice.Done.removed.rawValue))
  }
}

extension JSONWriter {
  /// Writes a number from a form, in the reader's spelling; nothing if the field is empty. A text
  /// that isn't a number is written as text, so that the API refuses it with the allowed values.
  mutating func memberOfForm(_ name: String, count text: String?, _ reader: Reader) {
    guard let text else { return }
    let plain = reader.plainDecimal(text)
    if let number = Int64(plain) { member(name, number) } else { member(name, plain) }
  }

  /// Writes an amount of money, like `memberOfForm(_:count:_:)`.
  mutating func memberOfForm(_ name: String, amount text: String?, _ reader: Reader) {
    if let text { member(name, reader.plainDecimal(text)) }
  }
}

extension Phrase {
  static let edit = Phrase("Edit", "Editar")
  fileprivate static let raiseForAWhile = Phrase(
    "Raise the limit for a while", "Ampliar o limite por um tempo")
  fileprivate static let pauseOrReset = Phrase("Pause, reset, remove", "Pausar, zerar, remover")
  /// The title of the list of a budget's accounts, closest to the limit first.
  fileprivate static func accounts(of per: BudgetDefinition.Per, _ count: String) -> Phrase {
    let order = (english: "closest to the limit first", portuguese: "mais perto do limite primeiro")
    let names: (english: String, portuguese: String) =
      switch per {
      case .client: ("clients", "clientes")
      case .user: ("users", "usuários")
      case .key: ("keys", "chaves")
      case .model: ("models", "modelos")
      case .conversation: ("conversations", "conversas")
      }
    return Phrase(
      "\(count) \(names.english), \(order.english)",
      "\(count) \(names.portuguese), \(order.portuguese)")
  }
}
