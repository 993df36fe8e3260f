internal import Configuration
internal import Ledger

extension LedgerLocation {
  /// The place that the configuration, or an option, names.
  init(_ location: LedgerSettings.Location) {
    switch location {
    case .sqlite(let path): self = .sqlite(path: path)
    case .postgresql(let url): self = .postgresql(url: url)
    }
  }
}
