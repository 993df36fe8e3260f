internal import Budgets
internal import Time

/// The limit of messages per minute about the subjects of one budget.
///
/// A budget per user or conversation has as many subjects as an app creates, and all of them may
/// reach their limits at once. Example: 3,000 users reach 80 % within 6 s. The first 3 have a
/// message each, and one message a minute later covers the other 2,997.
struct AlertPace {
  enum Decision: Hashable {
    /// Each alert is sent now as its own message.
    case oneByOne
    /// All alerts are sent now as one message.
    case together
    /// The alerts wait for further ones.
    case later(Timestamp)
  }

  /// The minute of a budget's latest message.
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
  /// The most messages of one alert each, about one budget in a minute.
  static let mostOneByOne: Int64 = 3

  /// Decides how to send `count` waiting alerts of a budget, and counts them as sent.
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
