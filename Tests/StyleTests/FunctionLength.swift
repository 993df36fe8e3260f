/// How long functions are: from the line of `func`, `init`, `deinit`, `subscript` or `var` to that
/// of the brace that ends its body.
struct FunctionLength {
  /// A function must fit a screen.
  static let longest = 60

  private static let keywords = ["func", "init", "deinit", "subscript", "var"].map(Phrase.init)

  static func findings(in file: SourceFile) -> [Finding] {
    file.code.indices.compactMap { start in
      guard keywords.contains(where: { $0.occurs(in: file.code[start]) }),
        let end = lastLine(ofBodyFrom: start, in: file.code), end - start + 1 > longest
      else { return nil }
      return Finding(
        path: file.path, line: start + 1,
        what: "a function of \(end - start + 1) lines; allowed: \(longest)")
    }
  }

  /// The line of the closing brace; nil for a declaration without a body.
  private static func lastLine(ofBodyFrom start: Int, in code: [[UInt8]]) -> Int? {
    var parentheses = 0
    var braces = 0
    for line in start..<code.count {
      let isBlank = code[line].allSatisfy { $0 == UInt8(ascii: " ") }
      if isBlank && braces == 0 && parentheses == 0 { return nil }
      for byte in code[line] {
        switch byte {
        case UInt8(ascii: "("): parentheses += 1
        case UInt8(ascii: ")"): parentheses -= 1
        case UInt8(ascii: "{") where parentheses == 0 || braces > 0: braces += 1
        case UInt8(ascii: "}") where braces > 0:
          braces -= 1
          if braces == 0 { return line }
        case UInt8(ascii: "}") where parentheses == 0: return nil
        default: break
        }
      }
    }
    return nil
  }
}
