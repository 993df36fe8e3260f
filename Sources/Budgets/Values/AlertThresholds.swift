/// The percentages of a budget at which an alert is sent: ascending, each 1…100.
public struct AlertThresholds: Hashable, Sendable {
  public let percentages: [Int]

  /// The percentages that each item of a list may have.
  public static let range = 1...100
  /// The most items of a list.
  public static let most = 100
  /// The thresholds of a budget that states none.
  public static let usual = AlertThresholds(percentages: [80, 90, 100])
  /// The rule of `init`, for messages.
  public static let rule = "percentages from 1 to 100, ascending, such as [80, 90, 100]"

  private init(percentages: [Int]) {
    self.percentages = percentages
  }

  /// Nil if the percentages are out of range or don't ascend.
  public init?(_ percentages: some Sequence<Int64>) {
    self.percentages = percentages.map { Int(clamping: $0) }
    guard AlertThresholds.areValid(self.percentages) else { return nil }
  }

  static func areValid(_ percentages: [Int]) -> Bool {
    percentages.count <= most && percentages.allSatisfy(range.contains)
      && zip(percentages, percentages.dropFirst()).allSatisfy(<)
  }

  /// `80, 90, 100`, as forms and command lines have them.
  public func text(separator: String) -> String {
    percentages.map(String.init).joined(separator: separator)
  }
}
