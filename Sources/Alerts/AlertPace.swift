internal import Budgets
internal import Time

/// How many messages about the subjects of one budget go out in a minute.
///
/// A budget per user or conversation has as many subjects as an app makes up, and each may reach
/// its limit at once. Example: of 3,000 users that reach 80 % within 6 s, the first 3 are told one
/// by one, and the other 2,997 in one message a minute later.
struct AlertPace {
  enum Decision: Hashable {
    /// Each alert is a message of its own, now.
    case oneByOne
    /// All alerts are one message, now.
    case together
    /// The alerts wait for further ones.
    case later(Timestamp)
  }

  /// The minute in which a budget's latest message went out.
  private struct Minute {
    let start: Timestamp
    var messages: Int64

    func isOver(at now: Timestamp) -> Bool {
      let age = now.elapsed(since: start)
      return age >= AlertPace.minute || age < .zero
    }
  }

  private var minutes: [BudgetID: Minute] = [:]

  static let minute = Duration.seconds(60)
  /// Messages about one budget that go out one by one in a minute.
  static let mostOneByOne: Int64 = 3

  /// Decides how `count` untold alerts of a budget go out, and counts them as told.
  mutating func decide(_ count: Int64, of budget: BudgetID, at now: Timestamp) -> Decision {
    guard let minute = minutes[budget], !minute.isOver(at: now) else {
      let isFew = count <= AlertPace.mostOneByOne
      minutes[budget] = Minute(start: now, messages: isFew ? count : AlertPace.mostOneByOne)
      return isFew ? .oneByOne : .together
    }
    guard minute.messages + count <= AlertPace.mostOneByOne else {
      return .later(minute.start.advanced(by: AlertPace.minute))
    }
    minutes[budget]?.messages += count
    return .oneByOne
  }

  /// Forgets minutes that are over.
  mutating func forget(at now: Timestamp) {
    minutes = minutes.filter { !$0.value.isOver(at: now) }
  }
}
