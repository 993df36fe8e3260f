internal import CPostgres
internal import Glibc

/// Statements are sent one after the other, and their answers read later: those that nobody waits
/// for, within a transaction, with the next that somebody waits for. So a commit of many statements
/// takes as many round trips as it has questions.
///
/// At most `largestPipeline` wait for answers at a time. Their answers fit into the system's
/// buffers, so that the server never waits for us to read while we wait for it to.
extension PostgresConnection {
  /// A message to the server whose answer is still to come. They are answered in order.
  enum Sent {
    /// The text is being prepared.
    case text(PreparedText)
    case statement
  }

  private static let largestPipeline = 128

  // MARK: Sending

  /// Runs a statement; within a transaction its outcome is told later.
  func run(_ statement: PostgresStatement) throws(LedgerError) {
    try requireConnection()
    try makeWay()
    try send(statement.prepared, statement.values)
    if !isInTransaction || unanswered.count >= PostgresConnection.largestPipeline {
      try synchronize()
    }
  }

  func send(_ text: PreparedText, _ values: [PostgresValue]) throws(LedgerError) {
    guard unsafe handle != nil else { throw .unavailable(reason: "the connection was lost") }
    if text.generation != generation {
      guard unsafe PQsendPrepare(handle, text.name, text.text, 0, nil) == 1 else { throw lose() }
      text.generation = generation
      unanswered.append(.text(text))
    }
    outgoing.removeAll(keepingCapacity: true)
    for value in values where !value.isNull {
      outgoing.append(contentsOf: value.bytes)
      outgoing.append(0)
    }
    let isSent = unsafe outgoing.withUnsafeBytes { bytes in
      let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress
      var offset = 0
      let pointers = unsafe values.map { value -> UnsafePointer<CChar>? in
        guard !value.isNull else { return nil }
        defer { offset += value.bytes.count + 1 }
        return unsafe start?.advanced(by: offset)
      }
      return unsafe PQsendQueryPrepared(
        handle, text.name, Int32(values.count), pointers, nil, nil, 0) == 1
    }
    guard isSent else { throw lose() }
    unanswered.append(.statement)
  }

  // MARK: Reading

  /// Awaits the answers of all that was sent; returns the last, and throws the first failure.
  @discardableResult
  func synchronize() throws(LedgerError) -> PostgresResult? {
    guard !unanswered.isEmpty else { return nil }
    try requestAnswers()
    var failure: PostgresFailure?
    let last = try readAnswers(unanswered[...], &failure)
    try finishAnswers()
    if let failure { throw error(failure) }
    return last
  }

  /// Sends a statement whose rows are then read by `nextRow`.
  func startReading(_ statement: PostgresStatement) throws(LedgerError) {
    try requireConnection()
    try makeWay()
    try send(statement.prepared, statement.values)
    try requestAnswers()
    var failure: PostgresFailure?
    _ = try readAnswers(unanswered.dropLast(), &failure)
    if let failure {
      var passedOver: PostgresFailure?
      _ = try readAnswers(unanswered.suffix(1), &passedOver)
      try finishAnswers()
      throw error(failure)
    }
    guard unsafe PQsetSingleRowMode(handle) == 1 else { throw lose() }
    isReading = true
    reader = statement
  }

  /// The next row of the statement that is being read, or the end of its answer.
  func nextRow() throws(LedgerError) -> PostgresResult {
    guard let result = try nextResult() else { throw lose() }
    if result.kind == .row { return result }
    isReading = false
    reader = nil
    guard try nextResult() == nil else { throw lose("an answer that nobody asked for") }
    try finishAnswers()
    guard result.kind == .end else { throw error(result.failure) }
    return result
  }

  /// Reads what is left of an answer, for nobody.
  func discardRows() {
    // A failure here has closed the connection, or belongs to a statement that is no longer read.
    while isReading, let next = try? nextRow(), next.kind == .row {}
  }

  /// Has the statement that is being read keep its rows, so that another can be sent.
  func makeWay() throws(LedgerError) {
    guard isReading else { return }
    if let reader { try reader.keepRows() } else { discardRows() }
  }

  private func requestAnswers() throws(LedgerError) {
    guard unsafe PQpipelineSync(handle) == 1 else { throw lose() }
    roundTrips += 1
  }

  private func finishAnswers() throws(LedgerError) {
    unanswered.removeAll(keepingCapacity: true)
    guard let result = try nextResult(), result.kind == .synchronized else { throw lose() }
  }

  /// The last of the answers.
  private func readAnswers(
    _ answers: ArraySlice<Sent>, _ failure: inout PostgresFailure?
  ) throws(LedgerError) -> PostgresResult? {
    var last: PostgresResult?
    for sent in answers {
      while let result = try nextResult() {
        last = result
        if result.kind == .end || result.kind == .row { continue }
        if case .text(let text) = sent { text.generation = 0 }
        if result.kind == .failure, failure == nil { failure = result.failure }
      }
    }
    return last
  }

  /// - Parameter silence: for how many milliseconds to wait instead; negative is for ever.
  func nextResult(
    silence: Int32? = nil
  ) throws(LedgerError) -> PostgresResult? {
    while unsafe PQisBusy(handle) != 0 {
      var socket = unsafe pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&socket, 1, silence ?? answerTimeout)
      if ready == 0 { throw lose("the database doesn't answer") }
      if ready < 0, errno == EINTR { continue }
      guard unsafe PQconsumeInput(handle) == 1 else { throw lose() }
    }
    guard let result = unsafe PQgetResult(handle) else {
      guard unsafe PQstatus(handle) == CONNECTION_OK else { throw lose() }
      return nil
    }
    return unsafe PostgresResult(owning: result)
  }

  /// Turns a failure into the ledger's error, and closes the connection if the failure ended it.
  func error(_ failure: PostgresFailure) -> LedgerError {
    lastFailureIsWorthRepeating = failure.isWorthRepeating
    if unsafe failure.endsConnection || PQstatus(handle) != CONNECTION_OK { close() }
    return failure.error
  }
}
