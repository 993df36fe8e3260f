/// The sentences of a file that people read: comments, docstrings, the texts of the program, and
/// articles.
struct Prose {
  /// The words of one paragraph, each with the index of its line.
  typealias Paragraph = [(word: Substring, line: Int)]

  /// Parts of the repository, each checked by a test of its own.
  enum Folder: String, CaseIterable {
    case sources, manual, tests

    var files: [SourceFile] {
      let files = Repository.shared.swiftFiles + Repository.shared.otherFiles
      return switch self {
      case .sources: files.filter { $0.path.hasPrefix("Sources/") }
      case .manual: Repository.shared.articles
      case .tests: files.filter { $0.path.hasPrefix("Tests/") }
      }
    }
  }

  private(set) var paragraphs: [Paragraph] = []
  private var current: Paragraph = []

  /// - Parameter hasTexts: Whether the strings of a Swift file are read too. Those of tests are
  ///   data.
  init(of file: SourceFile, hasTexts: Bool) {
    if file.path.hasSuffix(".md") {
      readArticle(file)
    } else if file.path.hasSuffix(".py") {
      readPython(file)
    } else {
      readComments(file, hasTexts: hasTexts && file.path.hasSuffix(".swift"))
    }
    end()
  }

  private mutating func end() {
    if !current.isEmpty { paragraphs.append(current) }
    current = []
  }

  private mutating func add(_ text: Substring, at line: Int) {
    let words = text.split(separator: " ")
    if words.isEmpty || words[0] == "-" || words[0] == "MARK:" { end() }
    if words.first != "MARK:" { current += words.map { ($0, line) } }
  }

  // MARK: Languages

  private mutating func readComments(_ file: SourceFile, hasTexts: Bool) {
    for (index, line) in file.lines.enumerated() {
      if hasTexts { readTexts(line, code: file.code[index], at: index) }
      guard let (comment, isAlone) = Prose.comment(of: line, code: file.code[index]) else {
        end()
        continue
      }
      if !isAlone { end() }
      add(comment, at: index)
    }
  }

  /// The text of a line's comment; nil if the line has none.
  ///
  /// In Swift, the code is blank from the comment's slashes to the end of the line, which the text
  /// of a string never is: it ends with a quotation mark.
  private static func comment(of line: String, code: [UInt8]) -> (Substring, isAlone: Bool)? {
    let marks: Set<Character> = ["/", "*", " "]
    let trimmed = line.drop { $0 == " " }
    if ["//", "/*", "* ", "*/"].contains(where: trimmed.hasPrefix) {
      return (trimmed.drop { marks.contains($0) }, true)
    }
    guard let slashes = line.ranges(of: " // ").last else { return nil }
    let start = line.utf8.distance(from: line.startIndex, to: slashes.lowerBound)
    guard code[start...].allSatisfy({ $0 == UInt8(ascii: " ") }) else { return nil }
    return (line[slashes.upperBound...], false)
  }

  /// Reads the strings that begin and end in a line, each as a paragraph.
  private mutating func readTexts(_ line: String, code: [UInt8], at index: Int) {
    let quotes = code.indices.filter { code[$0] == UInt8(ascii: "\"") }
    for (start, end) in zip(quotes, quotes.dropFirst()) where end > start + 1 {
      let text = Array(line.utf8)[(start + 1)..<end]
      paragraphs.append(
        Substring(decoding: text, as: UTF8.self).split(separator: " ").map { ($0, index) })
    }
  }

  private mutating func readPython(_ file: SourceFile) {
    let quotes = "\"\"\""
    var isInDocstring = false
    for (index, line) in file.lines.enumerated() {
      let trimmed = line.drop { $0 == " " }
      if isInDocstring || trimmed.hasPrefix(quotes) {
        let text = trimmed.split(separator: quotes, omittingEmptySubsequences: false)
        add(text[text.count > 1 && !isInDocstring ? 1 : 0], at: index)
        isInDocstring = isInDocstring ? text.count == 1 : text.count == 2
        if !isInDocstring { end() }
      } else if trimmed.hasPrefix("# ") {
        add(trimmed.dropFirst(2), at: index)
      } else {
        end()
        if let mark = line.ranges(of: "  # ").last { add(line[mark.upperBound...], at: index) }
      }
    }
  }

  /// Reads paragraphs, elements of lists and cells of tables; headings and code aren't prose.
  private mutating func readArticle(_ file: SourceFile) {
    var isCode = false
    for (index, line) in file.lines.enumerated() {
      if line.hasPrefix("```") { isCode.toggle() }
      if isCode || line.hasPrefix("#") || line.hasPrefix("```") {
        end()
      } else if line.hasPrefix("|") {
        for cell in line.split(separator: "|") {
          end()
          add(cell, at: index)
        }
      } else {
        let text = line.drop { $0 == " " }
        let isElement = text.hasPrefix("- ") || text.first?.isNumber == true
        if isElement { end() }
        add(isElement ? text.drop { !($0 == " ") } : text, at: index)
      }
    }
  }
}
