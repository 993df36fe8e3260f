extension LedgerEditor {
  /// Gives back the offline reserve of a server that will never return, nor its spool.
  ///
  /// If the server returns nevertheless, requests that it served without the ledger and hasn't
  /// reported count against no limit.
  ///
  /// - Throws: `LedgerError.stillUsed` if the server is alive or was until a moment ago;
  ///   `LedgerError.notFound`.
  public func forgetReserve(ofSpool spool: String) throws(LedgerError) {
    try connection.edit { () throws(LedgerError) in
      let find = try connection.prepare("SELECT name FROM replicas WHERE spool_id = ?")
      find.bind(spool)
      if let name = try find.firstRow({ $0.text("name") }) {
        throw .stillUsed(record: "the reserve of \(spool)", by: "replica \(name ?? spool)")
      }
      let replicas = try ReplicaStore(connection)
      let reserves = try LeaseStore(connection, .reserves, of: spool, replicas)
      guard try reserves.end(of: spool) > 0 else {
        throw .notFound(record: "reserve of \(spool)")
      }
      try replicas.remove(SpoolID(text: spool))
      try auditLog.append(
        AuditEntry(
          actor: author.actor, action: "replica.forget", target: "replica:\(spool)",
          clientID: nil, before: nil, after: nil, createdAt: author.now))
    }
  }
}
