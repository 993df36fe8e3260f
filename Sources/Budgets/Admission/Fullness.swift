/// The sort key of a budget's accounts: the fullest first, then by subject, so that the order is
/// stable.
public struct Fullness: Comparable, Sendable, CustomStringConvertible {
  private let share: Share
  private let subject: String

  init(_ share: Share?, subject: String) {
    self.share = share ?? Share(used: 0, limit: 1)
    self.subject = subject
  }

  /// Parses a `description`; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let used = Int64(parts[0]), let limit = Int64(parts[1]), limit > 0
    else { return nil }
    self.init(Share(used: used, limit: limit), subject: String(parts[2]))
  }

  /// The key as text: `850/1000/u1`. Page tokens use this form.
  public var description: String { "\(share)/\(subject)" }

  public static func < (left: Fullness, right: Fullness) -> Bool {
    left.share == right.share ? left.subject < right.subject : left.share > right.share
  }
}

extension AccountStatus {
  public var fullness: Fullness { Fullness(share, subject: subject.value) }
}
