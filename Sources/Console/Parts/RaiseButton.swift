internal import Budgets
internal import HTTP
internal import Ledger
internal import Money
internal import Pages
internal import Time

/// A button that raises the budget of a refused request until the next reset: by what the request
/// needed, or by a tenth of the limit if that is more.
struct RaiseButton {
  private let pageRequest: PageRequest
  private let budget: BudgetID
  private let subject: Subject?
  private let tokens: Int64?
  private let cost: Money?
  private let until: Timestamp

  /// How long the raise of a budget without resets lasts.
  private static let usualSpan = Duration.seconds(7 * 86_400)

  /// Nil if a raise wouldn't help, or if the visitor may not change budgets.
  init?(_ row: DenialRow, _ pageRequest: PageRequest) {
    guard pageRequest.mayChange, row.reason == .tokenLimit || row.reason == .costLimit,
      let id = row.budget
    else { return nil }
    let now = pageRequest.now
    guard let status = pageRequest.call.server.readBudgets({ try? $0.status(of: id, at: now) })
    else {
      return nil
    }
    self.pageRequest = pageRequest
    budget = id
    let definition = status.definition
    subject =
      definition.per == .user
      ? row.userID.flatMap { Subject(text: "user:\($0)") } : nil
    let amount = RaiseButton.rounded(max(row.requested, row.limitValue / 10))
    if row.reason == .tokenLimit {
      (tokens, cost) = (amount, nil)
    } else {
      (tokens, cost) = (nil, Money(nanoUnits: amount, currency: status.settledCost.currency))
    }
    until = status.window.end ?? now.advanced(by: RaiseButton.usualSpan)
  }

  /// Rounds up to two significant digits: 4,213 becomes 4,300.
  static func rounded(_ amount: Int64) -> Int64 {
    var step: Int64 = 1
    while amount / step >= 100 { step *= 10 }
    let steps = amount / step + (amount % step == 0 ? 0 : 1)
    let (rounded, overflow) = steps.multipliedReportingOverflow(by: step)
    return overflow ? amount : rounded
  }

  var html: HTML {
    let reader = pageRequest.reader
    let amount =
      cost.map { reader.money($0) } ?? reader(.tokenCount(reader.number(tokens ?? 0)))
    let field: HTML =
      if let cost {
        #"<input type="hidden" name="cost" value="\#(cost.decimalText)">"#
      } else {
        #"<input type="hidden" name="tokens" value="\#("\(tokens ?? 0)")">"#
      }
    return #"""
      <form method="post" action="\#(SitePath.budget(budget, "raise"))">\#
      \#(pageRequest.csrfField)\#(field)\#
      <input type="hidden" name="until" value="\#(until.rfc3339)">\#
      <input type="hidden" name="subject" value="\#(subject.map { "\($0)" } ?? "")">\#
      <input type="hidden" name="back" value="\#(pageRequest.head.target.text)">\#
      <button>\#(reader(.raiseBy(amount)))</button></form>
      """#
  }
}

extension Phrase {
  fileprivate static func raiseBy(_ amount: String) -> Phrase {
    Phrase("Raise by \(amount)", "Ampliar em \(amount)")
  }
}
