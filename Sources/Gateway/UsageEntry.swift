internal import Ledger

/// The ledger's settlement: a row with its charges. Named anew, because budgets settle too and a
/// module with a protocol of its own name can't be named itself.
typealias UsageEntry = Settlement
