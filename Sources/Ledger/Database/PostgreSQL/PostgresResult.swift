internal import CPostgres
internal import Glibc

/// The server's answer to a statement: a row, the end of its rows, or an error.
@safe final class PostgresResult {
  private let handle: OpaquePointer

  @unsafe init(owning handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  deinit {
    unsafe PQclear(handle)
  }

  enum Kind: Hashable {
    /// One row of several, or of none further.
    case row
    /// The end of what the statement answers.
    case end
    case failure
    /// Rows are awaited, see `PostgresConnection.copy`.
    case copying
    /// The statement was passed over, since one before it had failed.
    case passedOver
    /// All that was sent before has been answered.
    case synchronized
  }

  var kind: Kind {
    switch unsafe PQresultStatus(handle) {
    case PGRES_SINGLE_TUPLE: .row
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .end
    case PGRES_COPY_IN: .copying
    case PGRES_PIPELINE_ABORTED: .passedOver
    case PGRES_PIPELINE_SYNC: .synchronized
    default: .failure
    }
  }

  // MARK: Of a row

  func integer(_ column: Int32) -> Int64? {
    guard let bytes = unsafe bytes(column) else { return nil }
    return switch unsafe PQftype(handle, column) {
    case TypeID.int8, TypeID.int4, TypeID.int2, TypeID.numeric, TypeID.oid:
      unsafe PostgresResult.integer(bytes)
    case TypeID.bool: unsafe bytes[0] == UInt8(ascii: "t") ? 1 : 0
    default: nil
    }
  }

  func double(_ column: Int32) -> Double? {
    guard let bytes = unsafe bytes(column) else { return nil }
    return unsafe Double(String(decoding: bytes, as: UTF8.self))
  }

  func text(_ column: Int32) -> String? {
    guard let bytes = unsafe bytes(column) else { return nil }
    switch unsafe PQftype(handle, column) {
    case TypeID.int8, TypeID.int4, TypeID.int2, TypeID.numeric, TypeID.bool, TypeID.float8:
      return nil
    default: return unsafe String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The places of its columns by their names.
  var namedColumns: [String: Int32] {
    var names: [String: Int32] = [:]
    for column in 0..<(unsafe PQnfields(handle)) {
      if let name = unsafe PQfname(handle, column) {
        unsafe names[String(cString: name)] = column
      }
    }
    return names
  }

  /// Nil for NULL.
  private func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    guard unsafe PQgetisnull(handle, 0, column) == 0 else { return nil }
    return unsafe UnsafeRawBufferPointer(
      start: PQgetvalue(handle, 0, column), count: Int(PQgetlength(handle, 0, column)))
  }

  /// A whole number of decimal digits, as far as 64 bits go; nil where it has a fraction.
  private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
    var digits = unsafe bytes[...]
    let isNegative = unsafe digits.first == UInt8(ascii: "-")
    if isNegative { unsafe digits.removeFirst() }
    var value: Int64 = 0
    while let digit = unsafe digits.popFirst() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= digit else { return nil }
      let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (next, overflow) = tens.subtractingReportingOverflow(
        Int64(digit - UInt8(ascii: "0")))
      // Counted downwards, since the smallest integer has no positive.
      if tooLarge || overflow { return isNegative ? .min : .max }
      value = next
    }
    if isNegative { return value }
    return value == .min ? .max : -value
  }

  /// The numbers of types in `pg_type`, which never change.
  private enum TypeID {
    static let bool: Oid = 16
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let oid: Oid = 26
    static let float8: Oid = 701
    static let numeric: Oid = 1700
  }

  // MARK: Of the end

  /// How many rows were inserted, changed or deleted.
  var changedRows: Int {
    unsafe PQcmdTuples(handle).flatMap { unsafe Int(String(cString: $0)) } ?? 0
  }

  /// The command that the server ran, such as `COMMIT`.
  var command: String {
    unsafe PQcmdStatus(handle).map { unsafe String(cString: $0) } ?? ""
  }

  // MARK: Of a failure

  var failure: PostgresFailure {
    PostgresFailure(
      state: unsafe catraca_pq_sqlstate(handle).map { unsafe String(cString: $0) } ?? "",
      message: unsafe catraca_pq_message(handle).map { unsafe String(cString: $0) } ?? "")
  }
}

/// An error of the server.
struct PostgresFailure {
  /// The SQLSTATE; its first two characters are the class.
  let state: String
  let message: String

  /// Whether the transaction may succeed if it is repeated as a whole: after a conflict with
  /// another transaction, or if a statement must be prepared again, or if a month was detached.
  var isWorthRepeating: Bool {
    state.hasPrefix("40") || PostgresFailure.staleStatement.contains(state)
      || state == PostgresFailure.noPartition
  }

  /// Whether the connection is of no more use: the server has ended it, or statements that were
  /// prepared on it are stale.
  var endsConnection: Bool {
    state.hasPrefix("08") || state.hasPrefix("57P")
      || PostgresFailure.staleStatement.contains(state)
  }

  /// A statement whose table has changed, and one that a pooler has prepared on another connection.
  private static let staleStatement: Set<String> = ["0A000", "26000"]
  /// A row for which there is no table, because its month was detached.
  private static let noPartition = "23514"

  /// The error without bound values. The server's message about wrong data repeats the data, so it
  /// is left out.
  var error: LedgerError {
    let hasValues = state.hasPrefix("22")
    return .unavailable(
      reason: hasValues || message.isEmpty
        ? "PostgreSQL error \(state)" : "\(message) (PostgreSQL error \(state))")
  }
}
