internal import JSON

extension Answer {
  /// `{"success":true,"data":…}`, the form of all calls under `/api/token-billing/`.
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
  /// What `Answer.billing` answers.
  static func billing(_ name: String, _ data: JSONSchema) -> JSONSchema {
    .named(name, .object(["success": .boolean, "data": data]))
  }
}
