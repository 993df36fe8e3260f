internal import JSON

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
}
