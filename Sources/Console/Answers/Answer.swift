internal import HTTP
internal import HTTPServer
internal import JSON

/// The answer to a call.
struct Answer: Sendable {
  var status: Int
  var contentType: StaticString = "application/json"
  /// The body, or its beginning if there is a `rest`.
  var body: [UInt8]
  /// The rest of a body that is too large to be kept in memory; nil if `body` is all of it.
  var rest: AnswerStream?
  /// Answers contain confidential figures, so caches must not store them.
  var cacheControl: StaticString = "no-store"
  var fields: [(FieldName, String)] = []

  /// Makes an answer with the JSON that `write` writes.
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

  /// The answer without a body after a removal (204).
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

/// Makes the rest of a body piece by piece, as fast as the client reads; nil at the end.
///
/// It may block, so it must not run on an event loop.
typealias AnswerStream = @Sendable () async throws(APIError) -> [UInt8]?

extension Answer {
  /// An answer under `/api/token-billing/`: `{"success":true,"data":…}`.
  static func billing(_ data: (inout JSONWriter) -> Void) -> Answer {
    Answer { body in
      body.object { body in
        body.member("success", true)
        body.key("data")
        data(&body)
      }
    }
  }
}

extension JSONSchema {
  /// The schema of what `Answer.billing` writes.
  static func billing(_ name: String, _ data: JSONSchema) -> JSONSchema {
    .named(name, .object(["success": .boolean, "data": data]))
  }

  /// The schema of an answer under `/api/token-billing/` with an object of `fields`, whose name the
  /// whole answer has.
  static func billing<Row>(_ fields: AnswerFields<Row>) -> JSONSchema {
    guard case .named(let name, let data) = fields.schema else { return fields.schema }
    return .billing(name, data)
  }
}
