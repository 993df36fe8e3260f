internal import Configuration
internal import Ledger
internal import Time

/// `catraca key list`.
enum KeyList {
  static let command = Command(
    "key list", "lists a client's keys, revoked ones included",
    options: [
      KeyOptions.client, CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
    ]
  ) { invocation throws(CommandError) in
    let now = invocation.surroundings.now()
    let directory = try ClientDirectory(invocation)
    let client = try directory.client(try invocation.values.required(KeyOptions.client))
    let reader = try invocation.readerIfPresent()
    let rows = try invocation.ledger { () throws(LedgerError) in
      var rows: [(name: String, cells: [Cell])] = []
      for key in directory.declared.client(client.id)?.keys ?? [] {
        let lastUsed = try reader?.latestUse(
          ofKey: key.name, ofClient: client.id, since: ledgerBegin)
        rows.append((key.name, KeyFields.row(key, of: client.id, lastUsed: lastUsed, at: now)))
      }
      for key in try reader?.storedKeys(ofClient: client.id) ?? [] {
        let lastUsed = try reader?.latestUse(
          ofKey: key.name, ofClient: client.id, since: key.createdAt)
        rows.append((key.name, KeyFields.row(key, lastUsed: lastUsed, at: now)))
      }
      // Those of one name stay as they were: the ledger's come by their age.
      return rows.enumerated().sorted {
        ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
      }.map(\.element.cells)
    }
    var table = Table(KeyFields.columns, emptyText: "Client \(client.id) has no keys.")
    for row in rows { table.append(row) }
    return CommandOutcome(.list(table))
  }

  /// Before the first request of any ledger.
  private static let ledgerBegin = Timestamp(milliseconds: 0)
}
