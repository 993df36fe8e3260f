/// A statement's text as PostgreSQL takes it, and its name on the connection that prepares it.
final class PreparedText {
  let name: String
  let text: String
  /// How many parameters it has.
  let parameterCount: Int
  /// The connection to the server on which it is prepared, counted from 1; 0 is none.
  var generation = 0

  /// - Parameter text: as SQLite takes it, with parameters `?` or `?1`, `?2`….
  init(_ text: String, name: String) {
    var lexer = ParameterLexer(text.utf8)
    self.name = name
    self.text = lexer.rewritten()
    parameterCount = lexer.largestParameter
  }
}

/// Writes `$1` for `?1`, and for each `?` the number after the largest so far, as SQLite counts.
struct ParameterLexer {
  private let source: [UInt8]
  private var position = 0
  private var output: [UInt8] = []
  private(set) var largestParameter = 0

  init(_ source: some Sequence<UInt8>) {
    self.source = Array(source)
  }

  mutating func rewritten() -> String {
    output.reserveCapacity(source.count + 16)
    while position < source.count {
      switch source[position] {
      case UInt8(ascii: "'"): copy(through: "'")
      case UInt8(ascii: "\""): copy(through: "\"")
      case UInt8(ascii: "-") where next == UInt8(ascii: "-"): copy(through: "\n")
      case UInt8(ascii: "/") where next == UInt8(ascii: "*"): copyBlockComment()
      case UInt8(ascii: "?"): writeParameter()
      default: copy()
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private var next: UInt8? { position + 1 < source.count ? source[position + 1] : nil }

  private mutating func copy() {
    output.append(source[position])
    position += 1
  }

  /// A doubled quote within a text ends it and begins the next, which comes to the same.
  private mutating func copy(through end: Unicode.Scalar) {
    copy()
    while position < source.count {
      let isEnd = source[position] == UInt8(ascii: end)
      copy()
      if isEnd { return }
    }
  }

  private mutating func copyBlockComment() {
    while position < source.count {
      if source[position] == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
        copy()
        return copy()
      }
      copy()
    }
  }

  private mutating func writeParameter() {
    position += 1
    var number = 0
    while position < source.count, (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= source[position] {
      number = number * 10 + Int(source[position] - UInt8(ascii: "0"))
      position += 1
    }
    if number == 0 { number = largestParameter + 1 }
    largestParameter = max(largestParameter, number)
    output.append(UInt8(ascii: "$"))
    output.append(contentsOf: String(number).utf8)
  }
}
