internal import HTTP
/// The settings of the ledger.
public struct LedgerSettings: Hashable, Sendable {
  public enum Location: Hashable, Sendable, CustomStringConvertible {
    /// A file, relative to the working directory.
    case sqlite(path: String)
    /// A connection URL for libpq. It may contain a password.
    case postgresql(url: String)

    public var description: String {
      switch self {
      case .sqlite(let path): "sqlite:\(path)"
      case .postgresql: "postgresql://…"
      }
    }

    /// The rule of `init`, for messages.
    public static let rule =
      "sqlite:PATH, or a URL of libpq such as postgresql://USER@HOST/DATABASE"

    /// Returns nil unless `text` follows the rule.
    public init?(_ text: String) {
      guard !PlainText.hasControlCharacters(text) else { return nil }
      if text.hasPrefix("sqlite:") {
        let path = text.dropFirst("sqlite:".count)
        guard !path.isEmpty else { return nil }
        self = .sqlite(path: String(path))
        return
      }
      guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else { return nil }
      self = .postgresql(url: text)
    }
  }

  public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Commits survive SIGKILL of the process.
    case process
    /// Commits survive a power loss.
    case power
  }

  public enum OnFailure: String, Sendable, Hashable, CaseIterable {
    /// Requests get 503 `ledger_unavailable`.
    case deny
    /// Requests continue, and their usage is spooled to a file next to the ledger.
    case allow
  }

  public var location = Location.sqlite(path: "catraca.db")
  public var durability = Durability.process
  public var onFailure = OnFailure.deny
  /// The number of whole months before the current one whose rows stay in `usage_logs`; nil for
  /// all.
  public var retentionMonths: Int?

  public init() {}
}

extension LedgerSettings: TabledSettings {
  static var rows: [SettingRow<LedgerSettings>] {
    [
      SettingRow(
        "url", \.location, .ledgerLocation, isReloadable: false,
        "The database; a path counts from the working directory"),
      SettingRow(
        "durability", \.durability, .choice, isReloadable: false,
        "The event that a commit survives: the end of the process, or a loss of power"),
      SettingRow(
        "on_failure", \.onFailure, .choice, isReloadable: false,
        "Without a ledger, deny requests (503) or allow them and spool their usage"),
      SettingRow(
        "retention_months", \.retentionMonths, .integer(2...1200), isReloadable: false,
        "On PostgreSQL, how many months of requests stay in usage_logs before the current one"),
    ]
  }
}

extension ValueFormat<LedgerSettings> {
  static var ledger: ValueFormat {
    .section { section in
      var settings = LedgerSettings()
      for row in LedgerSettings.rows { row.read(&section, &settings) }
      if settings.retentionMonths != nil, case .sqlite = settings.location {
        section.mistake(
          at: "retention_months",
          "retention_months: a ledger in a file isn't divided into months; allowed: with a"
            + " PostgreSQL database in ledger.url")
      }
      return settings
    }
  }
}

extension ValueFormat<LedgerSettings.Location> {
  fileprivate static var ledgerLocation: ValueFormat {
    .scalar(LedgerSettings.Location.rule, isConfidential: true) { LedgerSettings.Location($0) }
  }
}
