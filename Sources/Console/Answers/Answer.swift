internal import HTTP
internal import HTTPServer
internal import JSON

/// What a call answers.
struct Answer: Sendable {
  var status: Int
  var contentType: StaticString = "application/json"
  /// All of the body, or what it begins with.
  var body: [UInt8]
  /// What follows, where that is too much for one piece.
  var rest: AnswerStream?
  /// What operators see belongs into no cache.
  var cacheControl: StaticString = "no-store"
  var fields: [(FieldName, String)] = []

  /// An answer whose JSON `write` writes.
  init<Failure: Error>(
    status: Int = 200, _ write: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    var writer = JSONWriter()
    try write(&writer)
    self.init(status: status, body: writer.bytes)
  }

  init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }

  /// Done, and nothing to say.
  static let removed = Answer(status: 204, body: [])

  /// The answer as it is sent.
  ///
  /// A field's value may come from the request, such as the page that a form leads back to. If HTTP
  /// doesn't allow that value, the answer is a 400 instead. A status may come from the ledger, with
  /// the answer to an earlier request. If HTTP has no such status, the ledger can't be used.
  var httpAnswer: HTTPAnswer {
    guard ResponseHead.statuses.contains(status) else {
      return APIError.ledgerUnavailable.answer.httpAnswer
    }
    var head = ResponseHead(status: status)
    if !body.isEmpty || rest != nil { head.fields.append(.contentType, constant: contentType) }
    head.fields.append(.cacheControl, constant: cacheControl)
    for (name, value) in fields {
      do {
        try head.fields.append(name, value)
      } catch {
        return APIError.unsendableField.answer.httpAnswer
      }
    }
    return HTTPAnswer(head: head, body: body)
  }
}

/// The rest of a body, made piece by piece while the client takes it.
///
/// Nil at the end. It may block, and so is asked on no event loop.
typealias AnswerStream = @Sendable () async throws(APIError) -> [UInt8]?
