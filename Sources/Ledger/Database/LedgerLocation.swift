/// The place of a ledger.
public enum LedgerLocation: Hashable, Sendable {
  /// A file, which one server uses.
  case sqlite(path: String)
  /// A database that several servers can share, by a connection string of libpq. The string may
  /// contain a password.
  case postgresql(url: String)
}

extension LedgerLocation {
  /// Whether several servers can use the ledger at the same time.
  public var isShared: Bool {
    switch self {
    case .sqlite: false
    case .postgresql: true
    }
  }

  /// The path of the spool, in which entries wait while the database can't take them.
  var spoolPath: String {
    switch self {
    case .sqlite(let path): "\(path).spool"
    case .postgresql: "catraca.spool"
    }
  }
}

extension LedgerLocation: CustomStringConvertible {
  /// The location in messages. A database's password and parameters are left out.
  public var description: String {
    switch self {
    case .sqlite(let path): return path
    case .postgresql(let url):
      // A password comes before the last at sign or among the parameters, whatever it is made of.
      let rest = url.drop { $0 != ":" }.dropFirst(3)
      let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
      return "postgresql://\(place.prefix { $0 != "?" })"
    }
  }
}
