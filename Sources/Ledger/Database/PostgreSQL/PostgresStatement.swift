internal import CPostgres

/// One statement: bind from 1, step, read columns from 0, and again. The server prepares it when it
/// is first run.
@safe final class PostgresStatement {
  private enum Rows {
    /// Ready to be bound and run.
    case none
    /// The connection reads them one by one.
    case arriving
    /// They were read all, since another statement was run meanwhile.
    case kept(ArraySlice<PostgresResult>)
  }

  private let connection: PostgresConnection
  private let loan: PostgresLoan?
  let prepared: PreparedText
  private(set) var values: [PostgresValue]
  private var rows: Rows = .none
  private var current: PostgresResult?
  /// How many rows were inserted, changed or deleted by the last run that was read to its end.
  private var changes = 0

  init(_ prepared: PreparedText, of connection: PostgresConnection, on loan: PostgresLoan?) {
    self.prepared = prepared
    self.connection = connection
    self.loan = loan
    values = Array(repeating: PostgresValue(), count: prepared.parameterCount)
  }

  deinit {
    if case .arriving = rows { connection.discardRows() }
  }

  func bind(_ value: Int64?, at index: Int32) {
    values[Int(index) - 1].set(value)
  }

  func bind(_ value: String?, at index: Int32) {
    values[Int(index) - 1].set(value)
  }

  func bind(utf8 text: [UInt8], at index: Int32) {
    values[Int(index) - 1].set(utf8: text)
  }

  func step() throws(LedgerError) -> Bool {
    switch rows {
    case .none: current = try firstRow()
    case .arriving: current = try nextArriving()
    case .kept(let rest):
      current = rest.first
      rows = rest.isEmpty ? .none : .kept(rest.dropFirst())
    }
    return current != nil
  }

  /// A statement by itself is run again where its tables have changed since it was prepared.
  private func firstRow() throws(LedgerError) -> PostgresResult? {
    do {
      return try firstArriving()
    } catch {
      guard !connection.isInTransaction, connection.lastFailureIsWorthRepeating else { throw error }
      return try firstArriving()
    }
  }

  private func firstArriving() throws(LedgerError) -> PostgresResult? {
    try connection.startReading(self)
    rows = .arriving
    return try nextArriving()
  }

  private func nextArriving() throws(LedgerError) -> PostgresResult? {
    let next: PostgresResult
    do {
      next = try connection.nextRow()
    } catch {
      rows = .none
      throw error
    }
    if next.kind == .row { return next }
    changes = next.changedRows
    rows = .none
    return nil
  }

  func reset() {
    if case .arriving = rows { connection.discardRows() }
    rows = .none
    current = nil
  }

  /// Makes way for another statement.
  func keepRows() throws(LedgerError) {
    guard case .arriving = rows else { return }
    var kept: [PostgresResult] = []
    while let row = try nextArriving() { kept.append(row) }
    rows = .kept(kept[...])
  }

  /// Runs it without asking what it did; within a transaction that is told later.
  func run() throws(LedgerError) {
    try connection.run(self)
  }

  func changedRows() throws(LedgerError) -> Int {
    defer { reset() }
    while try step() {}
    return changes
  }

  func integer(_ column: Int32) -> Int64? { current?.integer(column) }
  func double(_ column: Int32) -> Double? { current?.double(column) }
  func text(_ column: Int32) -> String? { current?.text(column) }
  func namedColumns() -> [String: Int32] { current?.namedColumns ?? [:] }
}

/// The value of a parameter, as text. It keeps its room from run to run.
struct PostgresValue {
  private(set) var isNull = true
  private(set) var bytes: [UInt8] = []

  mutating func set(_ value: Int64?) {
    bytes.removeAll(keepingCapacity: true)
    isNull = value == nil
    guard let value else { return }
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.reverse()
  }

  mutating func set(_ value: String?) {
    bytes.removeAll(keepingCapacity: true)
    isNull = value == nil
    guard let value else { return }
    append(value.utf8)
  }

  mutating func set(utf8 text: [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    isNull = false
    append(text)
  }

  private mutating func append(_ text: some Collection<UInt8>) {
    PostgresValue.append(text, to: &bytes)
  }

  /// PostgreSQL's texts can't have the character zero: U+FFFD stands for it.
  static func append(_ text: some Collection<UInt8>, to bytes: inout [UInt8]) {
    guard text.contains(0) else { return bytes.append(contentsOf: text) }
    for byte in text {
      if byte == 0 { bytes.append(contentsOf: "\u{FFFD}".utf8) } else { bytes.append(byte) }
    }
  }
}
