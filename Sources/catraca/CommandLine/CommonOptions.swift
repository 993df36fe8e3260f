internal import Configuration

/// Options that several commands share, with the same meaning in each.
enum CommonOptions {
  static let config = Parameter(
    "config", ArgumentFormat<String>.path("DIR"), "the folder with catraca.yaml",
    default: "config")
  static let ledger = Parameter(
    "ledger", ArgumentFormat<LedgerSettings.Location>.ledgerLocation,
    "the ledger, instead of the configuration's")
  static let format = Parameter(
    "format", ArgumentFormat<OutputFormat>.choice("FORMAT"), "table, json or csv",
    default: "table")
  static let client = Parameter(
    "client", ArgumentFormat<String>.name("C"), "only this client's")
  static let limit = Parameter(
    "limit", ArgumentFormat<Int64>.integer(1...10_000), "how many lines at most", default: "1000")
}
