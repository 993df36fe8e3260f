/// The settings for requests that wait for budgets.
public struct AdmissionSettings: Hashable, Sendable {
  public var wait = Duration.seconds(5)
  /// The most requests that may wait for one budget.
  public var queue = 1000

  public init() {}
}

extension AdmissionSettings: TabledSettings {
  static var rows: [SettingRow<AdmissionSettings>] {
    [
      SettingRow(
        "admission_wait", \.wait, .duration(.zero...(.seconds(600))),
        "How long a request may wait for what others hold (429 budget_contended after)"),
      SettingRow(
        "admission_queue", \.queue, .integer(0...1_000_000),
        "How many requests may wait for one budget"),
    ]
  }
}
