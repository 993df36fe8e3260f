/// By what the accounts of a budget are ordered, the fullest first: by their shares, then by name,
/// so that the order is always the same.
public struct Fullness: Comparable, Sendable, CustomStringConvertible {
  private let share: Share
  private let subject: String

  init(_ share: Share?, subject: String) {
    self.share = share ?? Share(used: 0, limit: 1)
    self.subject = subject
  }

  /// Reads a `description`; nil for another text.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let used = Int64(parts[0]), let limit = Int64(parts[1]), limit > 0
    else { return nil }
    self.init(Share(used: used, limit: limit), subject: String(parts[2]))
  }

  /// `850/1000/u1`, such as a page's end is named by.
  public var description: String { "\(share)/\(subject)" }

  public static func < (left: Fullness, right: Fullness) -> Bool {
    left.share == right.share ? left.subject < right.subject : left.share > right.share
  }
}

extension AccountStatus {
  public var fullness: Fullness { Fullness(share, subject: subject.value) }
}
