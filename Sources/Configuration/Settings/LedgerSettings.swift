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
        "on_failure", \.onFailure, .choice,
        "Without a ledger, deny requests (503) or allow them and spool their usage"),
    ]
  }
}

extension ValueFormat<LedgerSettings.Location> {
  fileprivate static var ledgerLocation: ValueFormat {
    .scalar(
      "sqlite:PATH, or postgresql://USER@HOST/DATABASE (the password belongs into PGPASSWORD)",
      isConfidential: true
    ) { text in
      guard !hasControlCharacters(text) else { return nil }
      if text.hasPrefix("sqlite:") {
        let path = text.dropFirst("sqlite:".count)
        return path.isEmpty ? nil : .sqlite(path: String(path))
      }
      for scheme in ["postgresql://", "postgres://"] where text.hasPrefix(scheme) {
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        let user = authority.contains("@") ? authority.prefix { $0 != "@" } : ""
        let hasPassword = user.contains(":") || text.contains("password=")
        return hasPassword || authority.isEmpty ? nil : .postgresql(url: text)
      }
      return nil
    }
  }
}
