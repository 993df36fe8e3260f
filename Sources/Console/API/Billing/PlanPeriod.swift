internal import Budgets
internal import Configuration
internal import Ledger
internal import Time

/// A client's use of its plan in the current period.
struct PlanPeriod {
  let plan: Plan?
  let window: BudgetWindow
  let tokens: Int64
  let conversations: Int64

  var limit: Int64? { plan?.monthlyTokens }
  var isOverLimit: Bool { limit.map { tokens > $0 } ?? false }
  var remaining: Int64? { limit.map { max(0, $0 - tokens) } }
  /// Whether the plan allows no new conversation.
  var hasNoConversationsLeft: Bool {
    plan?.monthlyConversations.map { conversations >= $0 } ?? false
  }
  var permille: Int { limit.map { Share(used: tokens, limit: $0).permille } ?? 0 }

  init(of client: Client, _ call: Call) throws(APIError) {
    let window = client.planWindow(at: call.now)
    let zone = client.timeZone
    let (days, conversations) = try call.read { reader throws(LedgerError) in
      let days = try reader.dailyUsage(
        ofClient: client.id, from: zone.civilDate(of: window.start),
        through: zone.civilDate(of: call.now))
      // The daily rows count a conversation once per calendar month. The period of a subscription
      // isn't a calendar month.
      let conversations =
        client.subscription == nil
        ? days.sum(\.conversations)
        : try reader.conversationCount(ofClient: client.id, since: window.start)
      return (days, conversations)
    }
    plan = client.plan.flatMap { call.clients.plans[$0] }
    self.window = window
    tokens = days.sum(\.totalTokens)
    self.conversations = conversations
  }
}

extension [DailyUsage] {
  /// The sum of a figure, at most `Int64.max`.
  func sum(_ figure: (DailyUsage) -> Int64) -> Int64 {
    reduce(0) { sum, day in
      let (total, overflow) = sum.addingReportingOverflow(figure(day))
      return overflow ? .max : total
    }
  }
}
