/// What a call answers when it has done what it was asked.
enum Success: Sendable {
  /// 200.
  case ok(JSONSchema)
  /// 200, with a body that a parameter lets have one of other types, too.
  case okOrText(JSONSchema, mediaTypes: [String])
  /// 201.
  case created(JSONSchema)
  /// 201, or 200 where there was one that it replaces.
  case createdOrReplaced(JSONSchema)
  /// 204, without a body.
  case removed
  /// 200, with a body of this type, which isn't JSON.
  case text(mediaType: String)

  /// The types of bodies beside JSON.
  var textTypes: [String] {
    switch self {
    case .okOrText(_, let mediaTypes): mediaTypes
    case .text(let mediaType): [mediaType]
    default: []
    }
  }

  /// Its statuses, with the schema of a body in JSON; nil where there is none.
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
