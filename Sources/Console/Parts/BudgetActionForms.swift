internal import Budgets
internal import Money
internal import Pages
internal import Time

/// The forms of a budget's actions: raise, pause, reset, remove.
struct BudgetActionForms {
  private let form: BudgetJSON
  private let pageRequest: PageRequest
  private let reader: Reader

  init(_ form: BudgetJSON, _ pageRequest: PageRequest) {
    self.form = form
    self.pageRequest = pageRequest
    reader = pageRequest.reader
  }

  private var id: BudgetID { form.status.definition.id }

  private func post(_ action: String, _ fields: HTML, confirm: Phrase? = nil) -> HTML {
    let question = confirm.map { phrase -> HTML in #" data-confirm="\#(reader(phrase))""# }
    return #"""
      <form method="post" class="fields" action="\#(SitePath.budget(id, action))"\#(question)>\#
      \#(pageRequest.csrfField)\#(fields)</form>
      """#
  }

  var raise: HTML {
    let definition = form.status.definition
    let tokens: HTML? =
      definition.limit.tokens == nil
      ? nil
      : #"""
      <div class="field"><label for="raise-tokens">\#(reader(.moreTokens))</label>\#
      <input id="raise-tokens" name="tokens" inputmode="numeric"></div>
      """#
    let cost: HTML? =
      definition.limit.cost.map { limit in
        #"""
        <div class="field"><label for="raise-cost">\#
        \#(reader(.moreMoney(limit.currency.code)))</label>\#
        <input id="raise-cost" name="cost" inputmode="decimal"></div>
        """#
      }
    let zone = definition.timeZone
    let usual = zone.civilDate(
      of: form.status.window.end ?? pageRequest.now.advanced(by: .seconds(7 * 86_400)))
    return post(
      "raise",
      #"""
      \#(tokens)\#(cost)<div class="field"><label for="until">\#(reader(.untilDate))</label>\#
      <input id="until" name="until" type="date" required value="\#("\(usual)")"></div>\#
      <div><button class="primary">\#(reader(.raise))</button></div>
      """#)
  }

  var pause: HTML {
    if form.status.pause == .manual {
      return post("resume", #"<div><button class="primary">\#(reader(.resume))</button></div>"#)
    }
    return post(
      "pause",
      #"""
      <div class="field"><label for="note">\#(reader(.note))</label>\#
      <input id="note" name="note"></div>\#
      <div><button>\#(reader(.pause))</button></div>
      """#)
  }

  var reset: HTML {
    post(
      "reset",
      #"""
      <fieldset><legend>\#(reader(.resetLegend))</legend>\#
      <label class="check"><input type="radio" name="usage" value="keep" checked>\#
      \#(reader(.keepUse))</label>\#
      <label class="check"><input type="radio" name="usage" value="clear">\#
      \#(reader(.clearUse))</label>\#
      <div><button>\#(reader(.reset))</button></div></fieldset>
      """#, confirm: .reallyReset)
  }

  var remove: HTML? {
    if form.isDeclared {
      return #"<p class="small soft">\#(Icon.lock)\#(reader(.onlyInFile))</p>"#
    }
    guard form.canBeChanged else { return nil }
    return post(
      "remove", #"<div><button class="danger">\#(reader(.remove))</button></div>"#,
      confirm: .reallyRemove)
  }
}

extension Phrase {
  fileprivate static let moreTokens = Phrase("More tokens", "Mais tokens")
  fileprivate static func moreMoney(_ currency: String) -> Phrase {
    Phrase("More money (\(currency))", "Mais dinheiro (\(currency))")
  }
  fileprivate static let untilDate = Phrase("Until (start of the day)", "Até (início do dia)")
  fileprivate static let raise = Phrase("Raise", "Ampliar")
  fileprivate static let note = Phrase("Note for the audit trail", "Nota para a auditoria")
  fileprivate static let pause = Phrase("Pause", "Pausar")
  fileprivate static let resume = Phrase("Resume", "Retomar")
  fileprivate static let reset = Phrase("Reset", "Zerar")
  fileprivate static let resetLegend = Phrase(
    "Reset: the use so far", "Zerar: o uso até agora")
  fileprivate static let keepUse = Phrase(
    "still counts; alerts are sent again", "continua contando; os alertas são enviados de novo")
  fileprivate static let clearUse = Phrase("no longer counts", "deixa de contar")
  fileprivate static let reallyReset = Phrase(
    "Reset this budget now?", "Zerar este orçamento agora?")
  fileprivate static let onlyInFile = Phrase(
    "clients.yaml declares this budget. Change or remove it there.",
    "Este orçamento está declarado em clients.yaml. Altere ou remova-o lá.")
  static let remove = Phrase("Remove", "Remover")
  fileprivate static let reallyRemove = Phrase(
    "Remove this budget? It will no longer limit anything.",
    "Remover este orçamento? Ele não vai limitar mais nada.")
}
