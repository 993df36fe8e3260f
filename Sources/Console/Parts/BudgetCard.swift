internal import Budgets
internal import Money
internal import Pages
internal import Time

/// The state of a budget's account: bars with what is used, held and left, and the next reset.
struct BudgetCard {
  private let form: BudgetJSON
  private let reader: Reader
  private let now: Timestamp
  /// Whether the name links to the budget's page, which only tokens may see.
  private var isLinked = false

  init(_ form: BudgetJSON, for pageRequest: PageRequest) {
    self.init(form, reader: pageRequest.reader, now: pageRequest.now)
    if case .token = pageRequest.call.credential { isLinked = true }
  }

  init(_ form: BudgetJSON, reader: Reader, now: Timestamp) {
    self.form = form
    self.reader = reader
    self.now = now
  }

  private var status: AccountStatus { form.status }
  private var definition: BudgetDefinition { status.definition }

  /// The whole card with every figure.
  var html: HTML {
    #"""
    <section class="card" aria-label="\#(reader.name(of: definition.id))">\#
    <div class="budget"><div class="line"><h3>\#(link)</h3>\#(chips)</div>\#
    \#(banner)\#(tokens)\#(cost)</div>\#(facts)</section>
    """#
  }

  /// An entry of a list, with the limit that is closer to being reached and the next reset.
  func entry(withClient clientName: String?) -> HTML {
    let share = status.share?.permille ?? 0
    let name: HTML =
      if let clientName {
        #"<a href="\#(SitePath.client(definition.id.client))">\#(clientName)</a> · \#(link)"#
      } else {
        link
      }
    return #"""
      <li class="budget"><div class="line"><span>\#(name)\#(subject)</span>\#
      <span class="inline">\#(chips)\#
      <span class="share">\#(reader.percentage(permille: share))</span></span></div>\#
      \#(fullerBar)<div class="line small soft"><span>\#(fullerFigures)</span>\#
      <span>\#(outlook)</span></div></li>
      """#
  }

  /// The widget: a bar, the use and the next reset.
  var widget: HTML {
    let renewal = status.window.end.map { reader(.renews(reader.distance(to: $0, from: now))) }
    let paused: HTML? =
      status.pause == nil
      ? nil : #"<span class="chip exceeded">\#(reader(.paused))</span>"#
    return #"""
      <section class="budget" aria-label="\#(definition.id.name)"><div class="line">\#
      <strong>\#(fullerFigures)</strong><span class="inline">\#(paused)\#
      <span class="share">\#(reader.percentage(permille: status.share?.permille ?? 0))</span>\#
      </span></div>\#(fullerBar)\#
      <p class="small soft">\#(renewal ?? reader(.neverResets))</p></section>
      """#
  }

  private var link: HTML {
    let id = definition.id
    let name = reader.name(of: id)
    guard isLinked else { return "\(name)" }
    return #"<a href="\#(SitePath.budget(id))">\#(name)</a>"#
  }

  private var subject: HTML? {
    if definition.per == .client { return nil }
    let value = status.subject.value
    let name = value.isEmpty ? reader(.unnamed(definition.per)) : value
    return #" <span class="soft">(\#(name))</span>"#
  }

  /// The state in words, since colors alone aren't accessible.
  private var chips: HTML {
    let level = status.level
    let lock: HTML? =
      form.isDeclared
      ? #"<span class="chip plain">\#(Icon.lock)\#(reader(.declaredInFile))</span>"# : nil
    let paused: HTML? =
      form.pauseReason == "manual"
      ? #"<span class="chip exceeded">\#(reader(.paused))</span>"# : nil
    return #"""
      <span class="inline"><span class="chip \#(level.rawValue)">\#(reader(.name(of: level)))\#
      </span>\#(paused)\#(lock)</span>
      """#
  }

  private var banner: HTML? {
    let reason: Phrase =
      switch status.pause {
      case nil: .empty
      case .manual: .pausedByHand
      case .limit(.tokens): .pausedByTokens
      case .limit(.cost): .pausedByCost
      case .conversations: .pausedByConversations
      }
    if status.pause == nil { return nil }
    return #"<p class="notice exceeded card" role="status">\#(reader(reason))</p>"#
  }

  // MARK: Bars

  private var tokens: HTML? {
    guard let limit = status.limitTokens, let left = status.remainingTokens else { return nil }
    return bar(
      reader(.tokens), share: status.tokenShare, held: Share(used: status.heldTokens, limit: limit),
      figures: reader(
        .usedHeldLeft(
          reader.number(status.settledTokens), reader.number(status.heldTokens),
          reader.number(left), reader.number(limit))))
  }

  private var cost: HTML? {
    guard let limit = status.limitCost, let left = status.remainingCost else { return nil }
    return bar(
      reader(.money), share: status.costShare,
      held: Share(used: status.heldCost.nanoUnits, limit: limit.nanoUnits),
      figures: reader(
        .usedHeldLeft(
          reader.money(status.settledCost), reader.money(status.heldCost),
          reader.money(left), reader.money(limit))))
  }

  private func bar(_ name: String, share: Share?, held: Share, figures: String) -> HTML {
    let permille = share?.permille ?? 0
    let percentage = reader.percentage(permille: permille)
    return #"""
      <div class="line"><span>\#(name)</span><span class="share">\#(percentage)</span></div>\#
      \#(picture(permille, held: held.permille, name: name))<p class="small soft">\#(figures)</p>
      """#
  }

  private func picture(_ used: Int, held: Int, name: String) -> HTML {
    LimitBar(
      used: used, held: held, level: LimitBar.Level(rawValue: status.level.rawValue) ?? .ok,
      label: reader(
        .usedAndHeld(
          name, reader.percentage(permille: used), reader.percentage(permille: held)))
    ).html
  }

  private var isCostFuller: Bool {
    guard let costShare = status.costShare else { return false }
    return status.tokenShare.map { $0 < costShare } ?? true
  }

  private var fullerBar: HTML {
    let share = (status.share?.permille ?? 0)
    let held =
      isCostFuller
      ? Share(used: status.heldCost.nanoUnits, limit: status.limitCost?.nanoUnits ?? 0)
      : Share(used: status.heldTokens, limit: status.limitTokens ?? 0)
    let isNothingHeld = isCostFuller ? status.heldCost.nanoUnits == 0 : status.heldTokens == 0
    return picture(
      share, held: isNothingHeld ? 0 : held.permille, name: reader.name(of: definition.id))
  }

  private var fullerFigures: String {
    if isCostFuller, let limit = status.limitCost {
      return reader(.usedOf(reader.money(status.settledCost), reader.money(limit)))
    }
    guard let limit = status.limitTokens else { return "" }
    return reader(.tokensOf(reader.number(status.settledTokens), reader.number(limit)))
  }

  // MARK: What comes next

  private var reset: String? {
    guard let end = status.window.end else { return nil }
    let date = reader.date(end, in: definition.timeZone)
    return "\(date) (\(reader.distance(to: end, from: now)))"
  }

  private var forecast: String? {
    guard let forecast = form.forecast else { return nil }
    if status.level == .exceeded { return nil }
    guard let end = forecast.exhaustedAt else { return reader(.lasts) }
    return reader(
      .runsOut(
        reader.date(end, in: definition.timeZone), reader.distance(to: end, from: now)))
  }

  private var outlook: String {
    let resets = reader(reset.map(Phrase.resets) ?? .neverResets)
    return [form.forecast?.exhaustedAt == nil ? nil : forecast, resets].compactMap(\.self)
      .joined(separator: " · ")
  }

  private var facts: HTML {
    let raise = status.raise.map { raise -> HTML in
      let amount =
        [
          raise.amount.tokens > 0 ? reader(.tokenCount(reader.number(raise.amount.tokens))) : nil,
          raise.amount.nanoUnits > 0
            ? reader.money(
              Money(nanoUnits: raise.amount.nanoUnits, currency: status.settledCost.currency))
            : nil,
        ].compactMap(\.self).joined(separator: ", ")
      let zone = definition.timeZone
      let until = "\(reader.moment(raise.until, in: zone)) (\(zone.identifier))"
      return "<dt>\(reader(.raised))</dt><dd>\(reader(.raisedBy(amount, until)))</dd>"
    }
    let forecast = forecast.map { text -> HTML in
      "<dt>\(reader(.forecast))</dt><dd>\(text)</dd>"
    }
    return #"""
      <dl class="facts small"><dt>\#(reader(.nextReset))</dt>\#
      <dd>\#(reset ?? reader(.neverResets))</dd>\#(forecast)\#(raise)\#
      <dt>\#(reader(.countsFor))</dt><dd>\#(reader(.name(of: definition.per)))\#(subject), \#
      \#(reader(.name(of: definition.period)))</dd>\#
      <dt>\#(reader(.enforcement))</dt><dd>\#(reader(.name(of: definition.enforcement)))</dd></dl>
      """#
  }
}

extension Phrase {
  fileprivate static let empty = Phrase(name: "")
  static let paused = Phrase("paused", "pausado")
  static let declaredInFile = Phrase("in clients.yaml", "no clients.yaml")
  fileprivate static let pausedByHand = Phrase(
    "Paused by an administrator: every request is refused until it is resumed.",
    "Pausado por um administrador: toda requisição é recusada até ser retomado.")
  fileprivate static let pausedByTokens = Phrase(
    "Paused: the token limit is reached.", "Pausado: o limite de tokens foi atingido.")
  fileprivate static let pausedByConversations = Phrase(
    "Paused: no new conversation can start.", "Pausado: nenhuma conversa nova pode começar.")
  fileprivate static let pausedByCost = Phrase(
    "Paused: the money limit is reached.", "Pausado: o limite de dinheiro foi atingido.")
  fileprivate static let neverResets = Phrase("never resets", "nunca zera")
  fileprivate static let lasts = Phrase(
    "at this pace, lasts until the reset", "neste ritmo, dura até zerar")
  fileprivate static let nextReset = Phrase("Next reset", "Zera em")
  static let forecast = Phrase("Forecast", "Previsão")
  fileprivate static let raised = Phrase("Raised", "Ampliado")
  static let enforcement = Phrase("Enforcement", "Aplicação")

  fileprivate static func usedHeldLeft(
    _ used: String, _ held: String, _ left: String, _ limit: String
  ) -> Phrase {
    Phrase(
      "\(used) used · \(held) held · \(left) left of \(limit)",
      "\(used) usados · \(held) reservados · restam \(left) de \(limit)")
  }
  fileprivate static func usedAndHeld(_ name: String, _ used: String, _ held: String) -> Phrase {
    Phrase("\(name): \(used) used, \(held) held", "\(name): \(used) usados, \(held) reservados")
  }
  fileprivate static func usedOf(_ used: String, _ limit: String) -> Phrase {
    Phrase("\(used) of \(limit)", "\(used) de \(limit)")
  }
  fileprivate static func tokensOf(_ used: String, _ limit: String) -> Phrase {
    Phrase("\(used) of \(limit) tokens", "\(used) de \(limit) tokens")
  }
  static func tokenCount(_ count: String) -> Phrase {
    Phrase("\(count) tokens", "\(count) tokens")
  }
  fileprivate static func resets(_ date: String) -> Phrase {
    Phrase("resets \(date)", "zera em \(date)")
  }
  fileprivate static func runsOut(_ date: String, _ distance: String) -> Phrase {
    Phrase("runs out \(date) (\(distance))", "esgota em \(date) (\(distance))")
  }
  fileprivate static func renews(_ distance: String) -> Phrase {
    Phrase("renews \(distance)", "renova \(distance)")
  }
  fileprivate static func raisedBy(_ amount: String, _ until: String) -> Phrase {
    Phrase("by \(amount) until \(until)", "em \(amount) até \(until)")
  }
}
