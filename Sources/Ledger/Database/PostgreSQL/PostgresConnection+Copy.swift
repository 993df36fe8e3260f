internal import CPostgres

/// Many rows at once, by COPY: several times as fast as inserting them.
extension PostgresConnection {
  /// Bytes that are handed to libpq at once.
  private static let copyBuffer = 1 << 16

  /// Writes rows into a table, within a transaction, until there is no next one.
  ///
  /// - Parameter next: a row in COPY's text format, without its end.
  func copy(
    into table: String, _ columns: [String], _ next: () throws(LedgerError) -> String?
  ) throws(LedgerError) {
    try requireConnection()
    try makeWay()
    try synchronize()
    let sql = "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN"
    guard unsafe PQexitPipelineMode(handle) == 1, unsafe PQsendQuery(handle, sql) == 1 else {
      throw lose()
    }
    guard let answer = try nextResult() else { throw lose() }
    if answer.kind == .failure {
      try endCopy()
      throw error(answer.failure)
    }
    do {
      try send(next)
    } catch {
      // Half a transaction is of no use; without a connection there is none.
      throw abandonCopy(because: error)
    }
    guard unsafe PQputCopyEnd(handle, nil) == 1 else { throw lose() }
    try endCopy()
  }

  private func send(_ next: () throws(LedgerError) -> String?) throws(LedgerError) {
    var buffer: [UInt8] = []
    buffer.reserveCapacity(PostgresConnection.copyBuffer * 2)
    while let row = try next() {
      PostgresValue.append(row.utf8, to: &buffer)
      buffer.append(UInt8(ascii: "\n"))
      if buffer.count >= PostgresConnection.copyBuffer { try send(&buffer) }
    }
    try send(&buffer)
  }

  private func send(_ buffer: inout [UInt8]) throws(LedgerError) {
    let isSent = unsafe buffer.withUnsafeBytes { bytes in
      let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress
      return unsafe PQputCopyData(handle, start, Int32(bytes.count)) == 1
    }
    guard isSent else { throw lose() }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Reads what the server says at the end, and goes back to the pipeline.
  private func endCopy() throws(LedgerError) {
    var failure: PostgresFailure?
    while let result = try nextResult() {
      if result.kind == .failure, failure == nil { failure = result.failure }
    }
    guard unsafe PQenterPipelineMode(handle) == 1 else { throw lose() }
    if let failure { throw error(failure) }
  }

  private func abandonCopy(because error: LedgerError) -> LedgerError {
    close()
    return error
  }
}
