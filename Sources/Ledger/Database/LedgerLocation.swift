/// Where a ledger is.
public enum LedgerLocation: Hashable, Sendable {
  /// A file, of one server.
  case sqlite(path: String)
  /// A database that several servers share, as libpq takes its connection string. It may hold a
  /// password.
  case postgresql(url: String)
}

extension LedgerLocation {
  /// Whether several servers can have it at a time.
  public var isShared: Bool {
    switch self {
    case .sqlite: false
    case .postgresql: true
    }
  }

  /// Where entries wait that the database can't take now.
  var spoolPath: String {
    switch self {
    case .sqlite(let path): "\(path).spool"
    case .postgresql: "catraca.spool"
    }
  }
}

extension LedgerLocation: CustomStringConvertible {
  /// How messages name it: a database without its password and parameters.
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
