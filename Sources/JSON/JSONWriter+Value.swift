extension JSONWriter {
  /// Writes a value that was read, without its white space.
  ///
  /// A number that isn't a 64-bit integer is rounded to a double.
  public mutating func value(_ value: JSONValue) {
    switch value.kind {
    case .object:
      object { object in
        for member in value.members {
          object.key(member.key.string ?? "")
          object.value(member.value)
        }
      }
    case .array:
      array { array in for element in value.elements { array.value(element) } }
    case .string: string(value.string ?? "")
    case .boolean: boolean(value.boolean ?? false)
    case .null: null()
    case .integer: integer(value.integer ?? 0)
    case .largeInteger, .real: raw("\(value.real ?? 0)".utf8)
    }
  }
}
