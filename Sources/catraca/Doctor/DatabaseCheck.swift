internal import Ledger

/// Whether a database of several servers can be reached, is of this release, and takes changes.
enum DatabaseCheck {
  /// The first release of PostgreSQL with all that a ledger needs.
  static let leastVersion: Int64 = 13

  static func finding(_ location: LedgerLocation) -> Finding {
    do throws(LedgerError) {
      let reader = try LedgerReader(at: location)
      guard let facts = try reader.databaseFacts() else {
        return .ok(.ledger, "\(location): of this release")
      }
      return finding(facts, of: location)
    } catch {
      return judge(error)
    }
  }

  static func finding(_ facts: DatabaseFacts, of location: LedgerLocation) -> Finding {
    let name = "\(location): PostgreSQL \(facts.version)"
    if facts.majorVersion < leastVersion {
      return .problem(
        .ledger, "\(name) is too old", advice: "Use PostgreSQL \(leastVersion) or later.")
    }
    if facts.isReadOnly {
      return .problem(
        .ledger, "\(name) takes no changes: it is a standby",
        advice: "Name the primary in ledger.url, or all of them with"
          + " target_session_attrs=read-write.")
    }
    if !facts.mayCreateTables {
      return .problem(
        .ledger, "\(name): the role may make no tables, and every month needs one",
        advice: "GRANT CREATE ON SCHEMA public to the role, or let it own the database.")
    }
    return .ok(
      .ledger,
      "\(name), of this release, and writable;"
        + " it takes \(facts.largestConnectionCount) connections in all")
  }

  private static func judge(_ error: LedgerError) -> Finding {
    switch error {
    case .tooOld, .tooNew, .notALedger, .ofEarlierBuild: LedgerCheck.judge(error)
    default:
      .problem(
        .ledger, error.description,
        advice: "Check that the database runs, ledger.url, and the password in PGPASSWORD.")
    }
  }
}
