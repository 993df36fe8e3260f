/// Public functions that throw, and whose docstring doesn't say which errors.
struct ErrorDocumentation {
  private static let access = Phrase("public")
  private static let kinds = ["func", "init", "subscript"].map(Phrase.init)

  static func findings(in file: SourceFile) -> [Finding] {
    let offences = file.code.indices.filter { index in
      access.occurs(in: file.code[index])
        && kinds.contains { $0.occurs(in: file.code[index]) }
        && throwsErrors(declarationAt: index, in: file.code)
        && !docstring(above: index, in: file).contains { $0.hasPrefix("/// - Throws: ") }
    }
    return file.findings("the docstring lacks `- Throws:`", at: offences)
  }

  private static func throwsErrors(declarationAt start: Int, in code: [[UInt8]]) -> Bool {
    let effects = signature(from: start, in: code).split { !$0.isLetter && $0 != "-" && $0 != ">" }
      .prefix { $0 != "->" }
    return effects.contains("throws") || effects.contains("rethrows")
  }

  /// The declaration up to its body, without whatever stands in parentheses.
  private static func signature(from start: Int, in code: [[UInt8]]) -> String {
    var signature: [UInt8] = []
    var depth = 0
    for line in code[start...] {
      for byte in line {
        switch byte {
        case UInt8(ascii: "("): depth += 1
        case UInt8(ascii: ")"): depth -= 1
        case UInt8(ascii: "{") where depth == 0: return String(decoding: signature, as: UTF8.self)
        default: if depth == 0 { signature.append(byte) }
        }
      }
      if line.allSatisfy({ $0 == UInt8(ascii: " ") }) { break }
      signature.append(UInt8(ascii: " "))
    }
    return String(decoding: signature, as: UTF8.self)
  }

  /// The lines of the docstring, without indentation, from the last on.
  private static func docstring(above index: Int, in file: SourceFile) -> [Substring] {
    file.lines[..<index].reversed().lazy.map { $0.drop { $0 == " " } }
      .prefix { $0.hasPrefix("///") || $0.hasPrefix("@") }
  }
}
