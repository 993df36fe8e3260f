internal import Time

/// `idempotent_answers`: what calls with an idempotency key were answered in the last day, and
/// those that report usage ever.
struct RememberedAnswerStore {
  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }

  func find(
    _ key: String, of owner: String, at now: Timestamp
  ) throws(LedgerError) -> RememberedAnswer? {
    let select = try connection.prepare(
      """
      SELECT * FROM idempotent_answers
      WHERE owner = ? AND key = ? AND (created_at > ? OR owner LIKE 'usage:%')
      """)
    select.bind(owner, at: 1)
    select.bind(key, at: 2)
    select.bind(oldest(at: now), at: 3)
    var answer: RememberedAnswer?
    try select.forEachRow { () throws(LedgerError) in
      let fields = ColumnReader(statement: select)
      let record = "an idempotent answer"
      answer = RememberedAnswer(
        owner: owner, key: key,
        requestSHA256: try fields.requiredText("request_sha256", of: record),
        status: Int(fields.integer("status") ?? 0), body: fields.text("body"),
        createdAt: try fields.requiredInstant("created_at", of: record))
    }
    return answer
  }

  /// Remembers an answer, and forgets those that are too old.
  func insert(_ answer: RememberedAnswer) throws(LedgerError) {
    let purge = try connection.prepare(
      """
      DELETE FROM idempotent_answers WHERE created_at <= ? AND owner NOT LIKE 'usage:%'
      """)
    purge.bind(oldest(at: answer.createdAt), at: 1)
    try purge.run()
    let insert = try connection.prepare(RememberedAnswerStore.replaceAnswer)
    insert.bind(answer.owner, at: 1)
    insert.bind(answer.key, at: 2)
    insert.bind(answer.requestSHA256, at: 3)
    insert.bind(Int64(answer.status), at: 4)
    insert.bind(answer.body, at: 5)
    insert.bind(answer.createdAt.rfc3339, at: 6)
    try insert.run()
  }

  private static let replaceAnswer = Upsert(
    into: "idempotent_answers", key: ["owner", "key"],
    columns: ["owner", "key", "request_sha256", "status", "body", "created_at"]
  ).sql

  private func oldest(at now: Timestamp) -> String {
    now.advanced(by: .zero - RememberedAnswer.lifetime).rfc3339
  }
}
