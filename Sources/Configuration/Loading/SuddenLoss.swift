internal import Budgets
internal import Pricing

/// The number of declarations in a configuration. Budgets are those of clients and those over all
/// clients; budgets of plans follow from the clients.
struct DeclaredCounts {
  let counts: KeyValuePairs<String, Int>

  init(_ settings: Settings) {
    let clients = settings.clients
    counts = [
      "clients": clients.clients.count,
      "keys": clients.clients.reduce(0) { $0 + $1.keys.count },
      "budgets": clients.budgets.count { !$0.id.isPlan },
      "plans": clients.plans.count,
      "providers": settings.providers.count,
      "models with prices": settings.prices.reduce(0) { $0 + $1.models.count },
    ]
  }

  /// The smallest number at which a loss is sudden, for some kinds. An administrator often removes
  /// the only budget of a small file, but rarely most of many in one edit.
  static let fewest = ["budgets": 4]

  /// Returns the differences to another configuration, for example `budgets: 6 before, 4 now`.
  func changes(to new: DeclaredCounts) -> [String] {
    zip(counts, new.counts).compactMap { old, new in
      old.value == new.value ? nil : "\(old.key): \(old.value) before, \(new.value) now"
    }
  }
}

/// A configuration with less than half of the declarations in force.
///
/// A file that is written in place is at first empty, then half written, and stays so if its writer
/// fails. The beginning may be valid YAML. If Catraca applied it, every missing key would be
/// answered 401. Example: of 12 clients, a truncated file declares 5.
public struct SuddenLoss: Hashable, Sendable, CustomStringConvertible {
  struct Drop: Hashable, Sendable {
    let noun: String
    let before: Int
    let after: Int
  }

  let drops: [Drop]

  /// Returns nil if at least half of every kind is left.
  init?(from old: DeclaredCounts, to new: DeclaredCounts) {
    drops = zip(old.counts, new.counts).compactMap { old, new in
      2 * new.value < old.value && old.value >= DeclaredCounts.fewest[old.key, default: 1]
        ? Drop(noun: old.key, before: old.value, after: new.value) : nil
    }
    if drops.isEmpty { return nil }
  }

  /// Example: `5 of 12 clients and 6 of 30 keys are left`.
  public var description: String {
    let parts = drops.map { "\($0.after) of \($0.before) \($0.noun)" }
    let list =
      parts.count == 1
      ? parts[0] : parts.dropLast().joined(separator: ", ") + " and " + parts[parts.count - 1]
    return "\(list) are left"
  }
}

/// A sudden loss that the store refused, until it sees the same files again.
struct RefusedLoss {
  /// The fingerprint of every file.
  let fingerprints: [String: Int?]
  /// The digest of all documents, as in `LoadedConfiguration.digest`.
  let digest: String
  /// The time at which the store first saw these files.
  let firstSeen: ContinuousClock.Instant
  /// The stamps of the files' writes. A further write of the same content differs.
  let stamps: [String: FileStamp?]

  /// A writer that is still at work would end within this time.
  static let settlingTime = Duration.seconds(2)
}
