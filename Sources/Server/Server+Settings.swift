package import Budgets
package import Configuration
package import Ledger

// MARK: From settings to the options of each module

extension Server {
  /// The rules that all budgets share.
  package static func policy(_ settings: Settings) -> BudgetPolicy {
    let isShared = if case .postgresql = settings.ledger.location { true } else { false }
    return BudgetPolicy(
      rates: settings.rates, admissionQueue: settings.admission.queue, sharesLimits: isShared)
  }

  static func options(_ settings: LedgerSettings) -> ServerLedger.Options {
    ServerLedger.Options(
      LedgerLocation(settings.location),
      durability: settings.durability == .power ? .power : .process,
      onFailure: settings.onFailure == .allow ? .allow : .deny)
  }
}

extension LedgerLocation {
  /// The ledger's location that the configuration, or a command's option, names.
  package init(_ location: LedgerSettings.Location) {
    switch location {
    case .sqlite(let path): self = .sqlite(path: path)
    case .postgresql(let url): self = .postgresql(url: url)
    }
  }
}
