/// The answer of a successful call.
enum Success: Sendable {
  /// 200.
  case ok(JSONSchema)
  /// 200. A parameter may choose another media type for the body.
  case okOrText(JSONSchema, mediaTypes: [String])
  /// 201.
  case created(JSONSchema)
  /// 201 for a new record, 200 for a replaced one.
  case createdOrReplaced(JSONSchema)
  /// 204, without a body.
  case removed
  /// 200, with a body of this media type, which isn't JSON.
  case text(mediaType: String)

  /// The media types besides JSON.
  var textTypes: [String] {
    switch self {
    case .okOrText(_, let mediaTypes): mediaTypes
    case .text(let mediaType): [mediaType]
    default: []
    }
  }

  /// The statuses with the schema of a JSON body; nil without one.
  var answers: [(status: Int, schema: JSONSchema?)] {
    switch self {
    case .ok(let schema), .okOrText(let schema, _): [(200, schema)]
    case .created(let schema): [(201, schema)]
    case .createdOrReplaced(let schema): [(200, schema), (201, schema)]
    case .removed: [(204, nil)]
    case .text: [(200, nil)]
    }
  }
}
