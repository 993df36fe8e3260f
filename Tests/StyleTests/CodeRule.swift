import Testing

/// A rule about the code of `Sources`.
struct CodeRule: Sendable, CustomTestStringConvertible {
  let claim: String
  /// Indices of the lines that break it.
  let offences: @Sendable (SourceFile) -> [Int]

  var testDescription: String { claim }

  static let all = [
    CodeRule(
      claim: "Nothing traps for want of an answer: no try!, as!, force unwrap, implicit unwrap"
    ) { file in
      file.code.indices.filter { unwrapsByForce(file.code[$0]) }
    },
    CodeRule(claim: "Nothing prints but through the command line's streams") { file in
      lines(of: file, with: ["print(", "debugPrint(", "dump("])
    },
    CodeRule(claim: "Foundation isn't imported") { file in
      lines(of: file, with: ["import Foundation"])
    },
    CodeRule(claim: "An escape from the compiler's concurrency checks says why it is safe") {
      file in
      lines(of: file, with: ["@unchecked", "nonisolated(unsafe)"])
        .filter { !isReasoned($0, in: file) }
    },
    CodeRule(claim: "No type is named for nothing in particular") { file in
      file.code.indices.filter { namesNothing(file.code[$0]) }
    },
  ]

  private static func lines(of file: SourceFile, with phrases: [String]) -> [Int] {
    let phrases = phrases.map(Phrase.init)
    return file.code.indices.filter { index in
      phrases.contains { $0.occurs(in: file.code[index]) }
    }
  }

  /// Whether a `!` follows a word or a bracket, and is no part of `!=`.
  private static func unwrapsByForce(_ line: [UInt8]) -> Bool {
    line.indices.dropFirst().contains { index in
      guard line[index] == UInt8(ascii: "!") else { return false }
      let before = line[index - 1]
      let isAfterOperand =
        Phrase.isOfWord(before)
        || [UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}")]
          .contains(before)
      let isComparison = index + 1 < line.count && line[index + 1] == UInt8(ascii: "=")
      return isAfterOperand && !isComparison
    }
  }

  /// How far from an escape its reason may stand.
  private static let reasonDistance = 4

  private static func isReasoned(_ index: Int, in file: SourceFile) -> Bool {
    let near = max(0, index - reasonDistance)...min(file.lines.count - 1, index + reasonDistance)
    return file.lines[near].contains { line in
      line.contains("//") && (line.contains("Sendable") || line.contains("thread"))
    }
  }

  private static let kinds: Set<Substring> = [
    "class", "struct", "enum", "actor", "protocol", "typealias",
  ]
  private static let emptyNames = ["Manager", "Helper", "Helpers", "Util", "Utils", "Utilities"]

  private static func namesNothing(_ line: [UInt8]) -> Bool {
    let words = String(decoding: line, as: UTF8.self).split { character in
      !character.utf8.allSatisfy(Phrase.isOfWord)
    }
    return zip(words, words.dropFirst()).contains { kind, name in
      kinds.contains(kind) && emptyNames.contains { name.hasSuffix($0) }
    }
  }
}
