internal import JSON

/// Makes a value that a JSON schema allows, for tool arguments and structured answers.
enum SampleJSON {
  private static let deepest = 16

  /// The JSON text of a sample; `{}` if there is no schema.
  static func text(for schema: JSONValue?) -> String {
    guard let schema else { return "{}" }
    var writer = JSONWriter()
    write(schema, depth: 0, to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static func write(_ schema: JSONValue, depth: Int, to writer: inout JSONWriter) {
    var choices = schema["enum"]?.elements
    if let first = choices?.next()?.string {
      writer.string(first)
      return
    }
    guard depth < deepest else {
      writer.null()
      return
    }
    switch schema["type"]?.string {
    case "object":
      writer.object { object in
        guard let properties = schema["properties"] else { return }
        for property in properties.members {
          object.key(property.key.string ?? "")
          write(property.value, depth: depth + 1, to: &object)
        }
      }
    case "array":
      writer.array { array in
        if let items = schema["items"] { write(items, depth: depth + 1, to: &array) }
      }
    case "integer", "number": writer.integer(1)
    case "boolean": writer.boolean(true)
    case "null": writer.null()
    default: writer.string("sandbox")
    }
  }
}
