public import Logging
public import Money
public import Pricing

/// The contents of the configuration folder, validated and immutable.
public struct Settings: Sendable {
  public let proxy: ProxySettings
  public let admin: AdminSettings
  /// The providers in the order of the file; at least one.
  public let providers: [Provider]
  /// One entry for each pricing file, as `catraca.yaml` lists them.
  public let prices: [ProviderPrices]
  public let clients: ClientRegistry
  public let ledger: LedgerSettings
  public let rates: ExchangeRates
  public let admission: AdmissionSettings
  public let metering: MeteringSettings
  public let limits: Limits
  public let log: LogSettings
  public let alerts: AlertSettings
  public let widget: WidgetSettings
  public let payments: PaymentSettings
}

extension Settings {
  /// The settings whose change needs a restart, by name, as text.
  var restartOnlyValues: [String: String] {
    let values =
      proxy.restartOnlyValues(under: "proxy") + admin.restartOnlyValues(under: "admin")
      + ledger.restartOnlyValues(under: "ledger") + log.restartOnlyValues(under: "log")
    return Dictionary(uniqueKeysWithValues: values)
  }
}

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

/// The settings of the log.
public struct LogSettings: Hashable, Sendable {
  public var level = LogLevel.info
  public var format = LogFormat.json
  /// The log file; nil for standard output.
  public var file: String?

  public init() {}
}

extension LogSettings: TabledSettings {
  static var rows: [SettingRow<LogSettings>] {
    [
      SettingRow("level", \.level, .choice, "The least severe event that is logged"),
      SettingRow("format", \.format, .choice, "For machines or for eyes"),
      SettingRow(
        "file", \.file, .path, isReloadable: false,
        "The file that lines are appended to; without it standard output"),
    ]
  }
}

/// The settings of the widget, which clients embed in their own pages.
public struct WidgetSettings: Hashable, Sendable {
  /// The sites that may embed it in a frame, in the form of Content-Security-Policy.
  public var frameAncestors = ["*"]

  public init() {}
}

extension WidgetSettings: TabledSettings {
  static var rows: [SettingRow<WidgetSettings>] {
    [
      SettingRow(
        "frame_ancestors", \.frameAncestors, .list(of: .frameAncestor, count: 1...100),
        "Which sites may show the widget in a frame")
    ]
  }
}

extension ValueFormat<String> {
  /// `*`, `self`, `none`, or the origin of a site. Its host may begin with `*.`.
  fileprivate static var frameAncestor: ValueFormat {
    .scalar("*, self, none, or a site such as https://example.com or https://*.example.com") {
      text in
      switch text {
      case "*": return text
      case "self", "none": return "'\(text)'"
      default:
        let parts = text.split(separator: "://*.", maxSplits: 1)
        let plain = parts.count == 2 ? "\(parts[0])://\(parts[1])" : text
        return BaseURL(plain)?.path == "" && !plain.hasSuffix("/") ? text : nil
      }
    }
  }
}
