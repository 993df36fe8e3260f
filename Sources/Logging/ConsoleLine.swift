internal import JSON

/// Makes the form of a log line for people: `2026-11-22T07:30:00.123Z warn budget_exceeded
/// client=acme used=998120`.
enum ConsoleLine {
  private static let unnamed: Set<String> = ["ts", "level", "event"]
  /// The text for a null.
  private static let nothing = "-"

  /// Characters with a meaning in a line: a text that has one is quoted.
  private static let telling: Set<Unicode.Scalar> = ["\"", "\\", "=", ",", "[", "]", "{", "}"]

  /// Turns a line that is a JSON object into its readable form.
  static func render(_ json: [UInt8]) -> [UInt8] {
    let parser = JSONParser()
    // The logger makes JSON only. Any other line is shown unchanged.
    guard let line = try? parser.parse(json) else { return json }
    var text: [String] = []
    for member in line.members {
      let key = member.key.string ?? ""
      let value = describe(member.value)
      text.append(unnamed.contains(key) ? value : "\(key)=\(value)")
    }
    return Array(text.joined(separator: " ").utf8)
  }

  private static func describe(_ value: JSONValue) -> String {
    switch value.kind {
    case .string: quotedIfNeeded(value.string ?? "")
    case .integer: "\(value.integer ?? 0)"
    case .largeInteger, .real: "\(value.real ?? 0)"
    case .boolean: value.boolean == true ? "true" : "false"
    case .null: nothing
    case .array: "[\(value.elements.map(describe).joined(separator: ","))]"
    case .object: "{\(value.members.map(describe).joined(separator: ","))}"
    }
  }

  private static func describe(_ member: JSONMember) -> String {
    "\(member.key.string ?? "")=\(describe(member.value))"
  }

  /// Puts a text in quotes if it could be taken for more than one value, or for a null.
  private static func quotedIfNeeded(_ text: String) -> String {
    let isPlain =
      !text.isEmpty && text != nothing
      && text.unicodeScalars.allSatisfy {
        !$0.properties.isWhitespace && !mustBeEscaped($0) && !telling.contains($0)
      }
    return isPlain ? text : "\"\(escaped(text))\""
  }

  /// Escapes line breaks and the characters that control a terminal.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += #"\n"#
      case "\t": result += #"\t"#
      case "\"", "\\": result += "\\\(scalar)"
      case _ where mustBeEscaped(scalar):
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

/// Makes text from outside safe to show to people.
public enum HarmlessText {
  /// The text with control characters written out, for example `\u{1B}`. Raw, they could control a
  /// terminal, break a line of mail, or turn the direction of writing.
  public static func escaping(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { scalar in
      isControl(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
  }

  /// C0, DEL, C1, the separators of lines and paragraphs, and the marks that turn the direction of
  /// writing.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
