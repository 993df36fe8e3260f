/// Sentences whose word order makes people read them twice.
enum WordOrder {
  /// The subject of a sentence names who acts. A question and the words above a list may begin with
  /// these.
  private static let subjects: Set<Substring> = ["Who", "Whoever", "Whom", "What", "Whatever"]

  /// The words after the first of each phrase, by the first.
  private static let phrases: [Substring: [[Substring]]] = [
    "of": [["which", "nobody"], ["which", "nothing"], ["which", "all"]],
    "as": [["who"]], "As": [["who"]],
    "so": [["many"], ["much"]], "So": [["many"], ["much"]], "is": [["of", "what"]],
    "what": [["is", "of"], ["was", "of"], ["is", "so"], ["was", "so"]],
  ]

  static func findings(in file: SourceFile, hasTexts: Bool) -> [Finding] {
    Prose(of: file, hasTexts: hasTexts).paragraphs.flatMap { words in
      words.indices.compactMap { index in
        offence(at: index, of: words).map {
          Finding(path: file.path, line: words[index].line + 1, what: $0)
        }
      }
    }
  }

  private static func offence(at index: Int, of words: Prose.Paragraph) -> String? {
    let word = words[index].word
    if subjects.contains(word) || word == "Such" {
      guard index == 0 || endsSentence(words[index - 1].word, with: ".?!:") else { return nil }
      if word == "Such" {
        guard words.dropFirst(index + 1).first?.word == "as" else { return nil }
        return "a sentence begins with \"Such as\": name the thing"
      }
      if !isQuestion(words[index...]) {
        return "a sentence begins with \"\(word)\": name the actor"
      }
    }
    guard let phrases = phrases[word] else { return nil }
    for phrase in phrases where words.count - index > phrase.count {
      let rest = words[(index + 1)...].prefix(phrase.count).map(\.word)
      guard zip(rest, phrase).allSatisfy({ $0.filter(\.isLetter) == $1 }) else { continue }
      return "\"\(word) \(phrase.joined(separator: " "))\": say it in the order of English"
    }
    return nil
  }

  private static func isQuestion(_ words: Prose.Paragraph.SubSequence) -> Bool {
    let end = words.first { endsSentence($0.word, with: ".?!:") }
    return end.map { endsSentence($0.word, with: "?:") } ?? false
  }

  /// Whether a word ends a sentence with one of the marks, maybe before a bracket.
  private static func endsSentence(_ word: Substring, with marks: String) -> Bool {
    let brackets: Set<Character> = [")", "*", "`", "\""]
    var word = word
    while let last = word.last, brackets.contains(last) { word.removeLast() }
    return word.last.map(marks.contains) ?? false
  }
}
