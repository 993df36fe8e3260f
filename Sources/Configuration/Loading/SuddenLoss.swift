internal import Budgets
internal import Pricing

/// How much a configuration declares, in figures. Budgets are those of clients and of everything;
/// those of plans follow from the clients.
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

  /// The least number of some things whose loss is sudden. An administrator often removes the only
  /// budget of a small file; nobody removes most of many by one edit.
  static let fewest = ["budgets": 4]

  /// What another configuration declares more or less of, such as `budgets: 6 before, 4 now`.
  func changes(to new: DeclaredCounts) -> [String] {
    zip(counts, new.counts).compactMap { old, new in
      old.value == new.value ? nil : "\(old.key): \(old.value) before, \(new.value) now"
    }
  }
}

/// A configuration that declares less than half of what the one in force does.
///
/// A file that is written in place is empty first, then half written, and stays half written when
/// its writer fails. What is left of it may be valid YAML. If Catraca put it in force, every key
/// that it lacks would be answered 401. Example: of 12 clients, a file cut short declares 5.
public struct SuddenLoss: Hashable, Sendable, CustomStringConvertible {
  struct Drop: Hashable, Sendable {
    let noun: String
    let before: Int
    let after: Int
  }

  let drops: [Drop]

  /// Nil where at least half of everything is left.
  init?(from old: DeclaredCounts, to new: DeclaredCounts) {
    drops = zip(old.counts, new.counts).compactMap { old, new in
      2 * new.value < old.value && old.value >= DeclaredCounts.fewest[old.key, default: 1]
        ? Drop(noun: old.key, before: old.value, after: new.value) : nil
    }
    if drops.isEmpty { return nil }
  }

  /// Such as `5 of 12 clients and 6 of 30 keys are left`.
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
  /// What was in every file.
  let fingerprints: [String: Int?]
  /// Of all documents, as `LoadedConfiguration.digest`.
  let digest: String
  /// When the store saw these files first.
  let firstSeen: ContinuousClock.Instant
  /// When and where the files were written; a further write of the same content differs.
  let stamps: [String: FileStamp?]

  /// A writer that is at work now has not ended before.
  static let settlingTime = Duration.seconds(2)
}
