/// Where and how usage is recorded.
public struct LedgerSettings: Hashable, Sendable {
  public enum Location: Hashable, Sendable, CustomStringConvertible {
    /// A file, relative to the working directory.
    case sqlite(path: String)
    /// A connection URL as libpq takes it, without a password.
    case postgresql(url: String)

    public var description: String {
      switch self {
      case .sqlite(let path): "sqlite:\(path)"
      case .postgresql(let url): url
      }
    }

    /// What `init` takes, for messages.
    public static let rule =
      "sqlite:PATH, or postgresql://USER@HOST/DATABASE (the password belongs into PGPASSWORD)"

    /// Nil unless `text` follows the rule.
    public init?(_ text: String) {
      guard !hasControlCharacters(text) else { return nil }
      if text.hasPrefix("sqlite:") {
        let path = text.dropFirst("sqlite:".count)
        guard !path.isEmpty else { return nil }
        self = .sqlite(path: String(path))
        return
      }
      let schemes = ["postgresql://", "postgres://"]
      guard let scheme = schemes.first(where: { text.hasPrefix($0) }) else { return nil }
      let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
      let user = authority.contains("@") ? authority.prefix { $0 != "@" } : ""
      let hasPassword = user.contains(":") || text.contains("password=")
      guard !hasPassword, !authority.isEmpty else { return nil }
      self = .postgresql(url: text)
    }
  }

  public enum Durability: String, Sendable, Hashable, CaseIterable {
    /// Commits survive SIGKILL of the process.
    case process
    /// Commits survive a loss of power.
    case power
  }

  public enum OnFailure: String, Sendable, Hashable, CaseIterable {
    /// Requests get 503 `ledger_unavailable`.
    case deny
    /// Requests go on, and usage is spooled to a file next to the ledger.
    case allow
  }

  public var location = Location.sqlite(path: "catraca.db")
  public var durability = Durability.process
  public var onFailure = OnFailure.deny

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
        "What a commit survives: the end of the process, or a loss of power"),
      SettingRow(
        "on_failure", \.onFailure, .choice, isReloadable: false,
        "Without a ledger, deny requests (503) or allow them and spool their usage"),
    ]
  }
}

extension ValueFormat<LedgerSettings.Location> {
  fileprivate static var ledgerLocation: ValueFormat {
    .scalar(LedgerSettings.Location.rule, isConfidential: true) { LedgerSettings.Location($0) }
  }
}
