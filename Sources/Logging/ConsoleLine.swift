internal import JSON

/// A log line for people: `2026-11-22T07:30:00.123Z warn budget_exceeded client=acme used=998120`.
enum ConsoleLine {
  /// Turns a line written as a JSON object into its readable form.
  static func render(_ json: [UInt8]) -> [UInt8] {
    let parser = JSONParser()
    // A line that isn't JSON was not made by the logger: it is shown as it is.
    guard let line = try? parser.parse(json) else { return json }
    var text: [String] = []
    for member in line.members {
      let key = member.key.string ?? ""
      let value = describe(member.value)
      text.append(["ts", "level", "event"].contains(key) ? value : "\(key)=\(value)")
    }
    return Array(text.joined(separator: " ").utf8)
  }

  private static func describe(_ value: JSONValue) -> String {
    if let text = value.string {
      return text.contains(where: { $0 == " " || $0 == "\"" }) ? "\"\(text)\"" : text
    }
    if let number = value.integer { return "\(number)" }
    if let flag = value.boolean { return "\(flag)" }
    if value.isNull { return "-" }
    return value.elements.map(describe).joined(separator: ",")
  }
}
