/// Just enough of Swift's grammar to tell code from comments and from the text of strings.
///
/// Regular expression literals are taken for code.
struct SwiftCode {
  /// Where the scanner is; the innermost last.
  private enum Place {
    /// Code within an interpolation, `depth` parentheses deep.
    case interpolation(depth: Int)
    case string(hashes: Int, quotes: Int)
  }

  private let bytes: [UInt8]
  private var index = 0
  private var places: [Place] = []
  private var output: [UInt8]

  /// Whether something other than code can begin with a byte. Most can't, which saves most looks.
  private static let isTurningPoint = (0...255).map { "/#\"()".utf8.contains($0) }

  /// Whether the text of a string can end, or be interrupted, with a byte.
  private static let endsText = (0...255).map { "\"\\\n".utf8.contains($0) }

  /// `bytes` with a space in place of each byte of a comment or of a string's text.
  static func blanked(_ bytes: [UInt8]) -> [UInt8] {
    var code = SwiftCode(bytes)
    while code.index < bytes.count { code.step() }
    return code.output
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    output = bytes
  }

  private mutating func step() {
    if case .string(let hashes, let quotes) = places.last {
      stepInString(hashes: hashes, quotes: quotes)
    } else if !SwiftCode.isTurningPoint[Int(bytes[index])] {
      index += 1
    } else if begins(with: "//") {
      while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank(1) }
    } else if begins(with: "/*") {
      blankBlockComment()
    } else if let (hashes, quotes) = openingQuotes() {
      index += hashes + quotes
      places.append(.string(hashes: hashes, quotes: quotes))
    } else {
      countParenthesis()
      index += 1
    }
  }

  private mutating func stepInString(hashes: Int, quotes: Int) {
    guard SwiftCode.endsText[Int(bytes[index])] else { return blank(1) }
    let escape = "\\" + String(repeating: "#", count: hashes)
    let end = String(repeating: "\"", count: quotes) + String(repeating: "#", count: hashes)
    if begins(with: end) {
      index += end.utf8.count
      places.removeLast()
    } else if begins(with: escape + "(") {
      index += escape.utf8.count + 1
      places.append(.interpolation(depth: 1))
    } else if begins(with: escape) {
      blank(escape.utf8.count + 1)
    } else if quotes == 1, bytes[index] == UInt8(ascii: "\n") {
      // Not a string after all: go on with the next line as code.
      places.removeLast()
    } else {
      blank(1)
    }
  }

  private mutating func countParenthesis() {
    guard case .interpolation(let depth) = places.last else { return }
    switch bytes[index] {
    case UInt8(ascii: "("): places[places.count - 1] = .interpolation(depth: depth + 1)
    case UInt8(ascii: ")"):
      places.removeLast()
      if depth > 1 { places.append(.interpolation(depth: depth - 1)) }
    default: break
    }
  }

  private mutating func blankBlockComment() {
    var depth = 0
    repeat {
      if begins(with: "/*") {
        depth += 1
        blank(2)
      } else if begins(with: "*/") {
        depth -= 1
        blank(2)
      } else {
        blank(1)
      }
    } while depth > 0 && index < bytes.count
  }

  /// The hashes and quotation marks of a string that begins here.
  private func openingQuotes() -> (hashes: Int, quotes: Int)? {
    var next = index
    while next < bytes.count, bytes[next] == UInt8(ascii: "#") { next += 1 }
    let hashes = next - index
    while next < bytes.count, next - index - hashes < 3, bytes[next] == UInt8(ascii: "\"") {
      next += 1
    }
    switch next - index - hashes {
    case 0: return nil
    case 3: return (hashes, 3)
    default: return (hashes, 1)
    }
  }

  private mutating func blank(_ count: Int) {
    for _ in 0..<count where index < bytes.count {
      if bytes[index] != UInt8(ascii: "\n") { output[index] = UInt8(ascii: " ") }
      index += 1
    }
  }

  private func begins(with text: String) -> Bool {
    bytes[index...].starts(with: text.utf8)
  }
}
