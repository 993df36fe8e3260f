internal import Budgets
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Logging
internal import Money
internal import Time

/// A refusal by a budget, in its three forms: the answer to the app, the line that operators read
/// and the row in `denials`. All three show the same figures.
struct BudgetRefusal {
  let denial: Denial
  let clientID: String
  let requestID: RequestID
  let now: Timestamp

  private var definition: BudgetDefinition { denial.definition }

  private var isContended: Bool { denial.reason == .contended }

  var code: String {
    switch denial.reason {
    case .tokenLimit, .costLimit: "budget_exceeded"
    case .conversationLimit: "conversation_limit_exceeded"
    case .paused: "budget_paused"
    case .contended: "budget_contended"
    }
  }

  private var resetText: String? {
    denial.resetAt.map { definition.timeZone.rfc3339($0) }
  }

  // MARK: The answer

  /// The sentence of the refusal, without its figures.
  var answer: RefusalAnswer {
    RefusalAnswer(429, isContended ? "rate_limit_error" : "insufficient_quota", code, message)
  }

  func httpAnswer() -> HTTPAnswer {
    var answer = answer
    answer.fields = [
      (.shouldRetry, isContended ? "true" : "false"),
      (.catracaDenied, denial.reason.rawValue),
    ]
    if let seconds = retryAfterSeconds { answer.fields.append((.retryAfter, "\(seconds)")) }
    var writer = JSONWriter()
    writer.object { body in
      body.member("error") { answer.writeError(to: &$0) }
      body.member("budget") { $0.object { writeBudget(to: &$0) } }
      body.member("resetDate", resetText)
    }
    return RefusalAnswer.httpAnswer(
      status: 429, fields: answer.fields, body: writer.bytes,
      requestID: requestID.description)
  }

  /// Whole seconds until it may be tried again, rounded up; nil where that is never or unknown.
  private var retryAfterSeconds: Int64? {
    if isContended { return 1 }
    guard let reset = denial.resetAt else { return nil }
    return max(1, (reset.milliseconds - now.milliseconds + 999) / 1000)
  }

  private func writeBudget(to writer: inout JSONWriter) {
    writer.member("id", "\(denial.budget)")
    writer.member("subject", "\(denial.subject)")
    writer.member("mode", denial.mode.rawValue)
    writeFigures(to: &writer)
    writeFigure("remaining", denial.remaining, to: &writer)
    writer.member("affordable_output_tokens", denial.affordableOutputTokens)
  }

  private func writeFigures(to writer: inout JSONWriter) {
    switch denial.unit {
    case .tokens: writer.member("unit", "tokens")
    case .conversations: writer.member("unit", "conversations")
    case .nanoUnits(let currency): writer.member("unit", currency.code)
    }
    writeFigure("limit", denial.limit, to: &writer)
    writeFigure("used", denial.used, to: &writer)
    writeFigure("held", denial.held, to: &writer)
    writeFigure("requested", denial.requested, to: &writer)
  }

  private func writeFigure(_ name: String, _ value: Int64, to writer: inout JSONWriter) {
    switch denial.unit {
    case .tokens, .conversations: writer.member(name, value)
    case .nanoUnits(let currency):
      writer.member(name, Money(nanoUnits: value, currency: currency).decimalText)
    }
  }

  // MARK: The sentence

  private var message: String {
    switch denial.reason {
    case .paused:
      return "The budget '\(denial.budget)' of \(whose) is paused. "
        + "Ask the administrator of your gateway."
    case .contended:
      return "The budget '\(denial.budget)' of \(whose) is held by requests in flight: "
        + "\(figures). Try again in a moment."
    case .tokenLimit, .costLimit:
      if isCommon {
        return "The budget '\(denial.budget.name)', which all clients share, is exceeded: "
          + "\(figures).\(resetSentence)"
      }
      return "Budget exceeded for \(whose): \(figures).\(resetSentence)"
    case .conversationLimit:
      return "Conversation limit exceeded for \(whose): \(figures).\(resetSentence)"
    }
  }

  private var resetSentence: String {
    resetText.map { " It resets on \($0)." } ?? " It never resets."
  }

  /// Whether one account counts the use of all clients.
  private var isCommon: Bool {
    denial.budget.client == BudgetID.everything && denial.subject.kind == .client
  }

  private var whose: String {
    switch denial.subject.kind {
    case .client where isCommon: "all clients"
    case .client: "client '\(clientID)'"
    default: "\(denial.subject.kind.rawValue) '\(denial.subject.value)' of client '\(clientID)'"
    }
  }

  private var figures: String {
    let needs =
      denial.unit == .conversations
      ? "this request would begin another"
      : "this request may need up to \(amount(denial.requested)) more"
    let held = denial.held > 0 ? ", \(amount(denial.held)) held by requests in flight" : ""
    return
      "\(amount(denial.used)) of \(amount(denial.limit))\(unitWord) used\(periodWords)\(held), "
      + "and \(needs)"
  }

  private var unitWord: String {
    switch denial.unit {
    case .tokens: " tokens"
    case .conversations: " conversations"
    case .nanoUnits: ""
    }
  }

  private func amount(_ value: Int64) -> String {
    switch denial.unit {
    case .tokens, .conversations: value.groupedByThousands
    case .nanoUnits(let currency):
      "\(currency.code) \(Money(nanoUnits: value, currency: currency).decimalText)"
    }
  }

  private var periodWords: String {
    switch definition.period {
    case .daily: " today"
    case .weekly: " this week"
    case .monthly: " this month"
    case .monthsFrom: " in this period"
    case .days(let days, _): " in this period of \(days) days"
    case .total: ""
    }
  }

  // MARK: The log line and the row

  /// Writes the members of the log line that say which budget refused and why.
  func writeLogMembers(to line: inout JSONWriter) {
    line.member("budget", "\(denial.budget)")
    if denial.subject.kind != .client { line.member("subject", "\(denial.subject)") }
    line.member("reason", isContended ? "budget_contended" : denial.reason.rawValue)
    if case .nanoUnits(let currency) = denial.unit { line.member("unit", currency.code) }
    writeFigure("limit", denial.limit, to: &line)
    writeFigure("used", denial.used, to: &line)
    writeFigure("held", denial.held, to: &line)
    writeFigure("requested", denial.requested, to: &line)
    line.member("reset_at", resetText)
  }

  var rowReason: DenialReason {
    switch denial.reason {
    case .tokenLimit: .tokenLimit
    case .costLimit: .costLimit
    case .conversationLimit: .conversationLimit
    case .paused: .paused
    case .contended: .budgetContended
    }
  }
}
