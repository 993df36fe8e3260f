internal import CSQLite

/// A prepared statement of SQLite, as `Statement` uses it.
@safe final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: SQLiteConnection
  /// The first value that could not be bound; told at the next step.
  private var bindingFailure: Int32 = SQLITE_OK
  private var lentTexts = LentTexts()

  @unsafe init(owning handle: OpaquePointer, of connection: SQLiteConnection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  func bind(_ value: Int64?, at index: Int32) {
    if let value {
      note(unsafe sqlite3_bind_int64(handle, index, value))
    } else {
      note(unsafe sqlite3_bind_null(handle, index))
    }
  }

  func bind(_ value: String?, at index: Int32) {
    guard var value else { return note(unsafe sqlite3_bind_null(handle, index)) }
    value.withUTF8 { bytes in
      unsafe bind(bytes, at: index)
    }
  }

  /// Binds text that SQLite doesn't copy: until `takeBackTexts`, after which each parameter that
  /// was lent one has to be bound before the next run.
  func lend(_ value: String?, at index: Int32) {
    guard let value else { return note(unsafe sqlite3_bind_null(handle, index)) }
    guard let text = unsafe lentTexts.keep(value) else { return bind(value, at: index) }
    note(unsafe sqlite3_bind_text(handle, index, text.baseAddress, Int32(text.count), nil))
  }

  func takeBackTexts() {
    lentTexts.removeAll()
  }

  /// Binds text that is already UTF-8.
  func bind(utf8 text: [UInt8], at index: Int32) {
    unsafe text.withUnsafeBufferPointer { bytes in
      unsafe bind(bytes, at: index)
    }
  }

  private func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) {
    guard let length = Int32(exactly: bytes.count) else { return note(SQLITE_TOOBIG) }
    unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
      // A null pointer would bind NULL, not the empty text.
      if let start = characters.baseAddress {
        note(unsafe catraca_sqlite3_bind_text(handle, index, start, length))
      } else {
        note(unsafe catraca_sqlite3_bind_text(handle, index, "", 0))
      }
    }
  }

  private func note(_ status: Int32) {
    if bindingFailure == SQLITE_OK { bindingFailure = status }
  }

  /// Goes to the next row. Returns false if there is none; the statement can be bound again then.
  func step() throws(LedgerError) -> Bool {
    guard bindingFailure == SQLITE_OK else {
      let status = bindingFailure
      bindingFailure = SQLITE_OK
      throw connection.failure(status)
    }
    let status = unsafe sqlite3_step(handle)
    if status == SQLITE_ROW { return true }
    reset()
    guard status == SQLITE_DONE else { throw connection.failure(status) }
    return false
  }

  /// Runs the statement. Returns the number of rows that it inserted, changed or deleted.
  func changedRows() throws(LedgerError) -> Int {
    while try step() {}
    return connection.changes
  }

  /// Runs an insertion of one row. Returns its `id`; nil if nothing was inserted because of an
  /// existing row.
  func insertedID() throws(LedgerError) -> Int64? {
    try changedRows() == 1 ? connection.lastInsertedID : nil
  }

  func reset() {
    // Its status repeats that of the last step, which was told there.
    unsafe sqlite3_reset(handle)
  }

  func integer(_ column: Int32) -> Int64? {
    guard unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
    return unsafe sqlite3_column_int64(handle, column)
  }

  func double(_ column: Int32) -> Double? {
    guard unsafe sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
    return unsafe sqlite3_column_double(handle, column)
  }

  func text(_ column: Int32) -> String? {
    guard unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT,
      let bytes = unsafe sqlite3_column_text(handle, column)
    else { return nil }
    let length = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe String(
      decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }

  /// Returns the places of the columns by their names.
  func namedColumns() -> [String: Int32] {
    var names: [String: Int32] = [:]
    let count = unsafe sqlite3_column_count(handle)
    for column in 0..<count {
      if let name = unsafe sqlite3_column_name(handle, column) {
        unsafe names[String(cString: name)] = column
      }
    }
    return names
  }
}
