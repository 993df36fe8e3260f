/// A place in `Sources` that ends the process at once when it is reached.
struct Trap: Hashable, Comparable, CustomStringConvertible {
  /// Below `Sources`.
  let file: String
  /// The message of a call, or the line of code where a trap has none.
  let text: String

  var description: String { "\(file): `\(text)`" }

  static func < (left: Trap, right: Trap) -> Bool {
    (left.file, left.text) < (right.file, right.text)
  }

  private static let calls = [
    "precondition(", "preconditionFailure(", "fatalError(", "assert(", "assertionFailure(",
  ].map(Phrase.init)

  /// Words that trap without a call and a message of their own.
  private static let lines = ["unowned", "uniqueKeysWithValues"].map(Phrase.init)

  /// All traps of a file, in order.
  static func all(in file: SourceFile) -> [Trap] {
    let name = String(file.path.dropFirst("Sources/".count))
    return file.code.indices.flatMap { index -> [Trap] in
      if lines.contains(where: { $0.occurs(in: file.code[index]) }) {
        let line = file.lines[index].drop { $0 == " " }
        return [Trap(file: name, text: String(line))]
      }
      guard calls.contains(where: { $0.occurs(in: file.code[index]) }) else { return [] }
      return [Trap(file: name, text: message(from: index, in: file) ?? "")]
    }
  }

  /// How many lines after its name a call may have its message.
  private static let longestCall = 6

  /// The first text that stands in a call; nil where it has none.
  private static func message(from start: Int, in file: SourceFile) -> String? {
    for index in start..<min(start + longestCall, file.lines.count) {
      let bytes = Array(file.lines[index].utf8)
      // Quotes in the code are those around texts; a text may have others.
      guard let open = file.code[index].firstIndex(of: UInt8(ascii: "\"")),
        let close = file.code[index].lastIndex(of: UInt8(ascii: "\"")), open < close
      else { continue }
      return String(decoding: bytes[(open + 1)..<close], as: UTF8.self)
    }
    return nil
  }
}

/// The list of traps in `Tests/traps.md`: a line each, with the reason why no input reaches it.
struct TrapList {
  /// The reason of each.
  let reasons: [Trap: String]
  /// Lines of the list that can't be read.
  let unreadable: [String]

  init(_ text: String) {
    var reasons: [Trap: String] = [:]
    var unreadable: [String] = []
    for line in text.split(separator: "\n") where line.hasPrefix("- ") {
      let parts = line.dropFirst(2).split(separator: ": `", maxSplits: 1)
      guard parts.count == 2, let end = parts[1].ranges(of: "`. ").last,
        !parts[1][end.upperBound...].isEmpty
      else {
        unreadable.append(String(line))
        continue
      }
      let trap = Trap(file: String(parts[0]), text: String(parts[1][..<end.lowerBound]))
      reasons[trap] = String(parts[1][end.upperBound...])
    }
    self.reasons = reasons
    self.unreadable = unreadable
  }
}
