import Testing

/// Folders, names and the size of ideas: what lets a reader guess where a thing is.
@Suite struct HouseTests {
  private let sources = Repository.shared.sources.filter { $0.path.hasSuffix(".swift") }

  static let mostFilesOfFolder = 25
  static let fewestLines = 25

  /// Files below `fewestLines` that are a concept of their own, each with the reason.
  static let smallFiles: [String: String] = [
    "Sources/Console/Parts/FactList.swift": "a part of pages, as each file beside it"
  ]

  @Test("A folder has 25 Swift files at most")
  func folders() {
    let files = Dictionary(grouping: sources) { file in
      file.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    let large = files.filter { $0.value.count > Self.mostFilesOfFolder }.map {
      "\($0.key): \($0.value.count) files; allowed: \(Self.mostFilesOfFolder)"
    }
    #expect(large.sorted() == [])
  }

  @Test(
    "A Python test is in a folder by concept, which has 5 to 25 of them, and its name is unique")
  func pythonTests() {
    let paths = Repository.shared.otherFiles.map { $0.path.split(separator: "/") }.filter { path in
      path.starts(with: ["Tests", "EndToEnd"]) && path.last?.hasPrefix("test_") == true
    }
    #expect(paths.filter { $0.count != 4 } == [])
    let folders = Dictionary(grouping: paths) { $0[2] }
    #expect(folders.count > 5)
    #expect(folders.filter { !(5...Self.mostFilesOfFolder ~= $0.value.count) }.keys.sorted() == [])
    #expect(Set(paths.compactMap(\.last)).count == paths.count)
  }

  @Test("A file of fewer than 25 lines is a concept of its own, with a reason")
  func smallFiles() {
    let small = Set(sources.filter { $0.lines.count <= Self.fewestLines }.map(\.path))
    #expect(small.subtracting(Self.smallFiles.keys).sorted() == [])
    #expect(Set(Self.smallFiles.keys).subtracting(small).sorted() == [], "no longer small")
  }

  @Test("No two files of the sources have the same name")
  func fileNames() {
    let names = Dictionary(grouping: sources.map(\.path)) { path in
      path.split(separator: "/").last ?? ""
    }
    #expect(names.values.filter { $0.count > 1 }.map { $0.sorted() } == [])
  }

  @Test("No two types of the sources have the same name, but for nested and private ones")
  func typeNames() {
    var places: [String: [String]] = [:]
    for file in sources {
      for name in file.code.compactMap(Self.typeName) {
        places[name, default: []].append(file.path)
      }
    }
    #expect(places["HTTPServer"]?.count == 1)
    #expect(places.filter { $0.value.count > 1 }.map { "\($0.key): \($0.value)" }.sorted() == [])
  }

  private static let kinds: Set<String> = ["class", "struct", "enum", "actor", "protocol"]
  private static let modifiers: Set<String> = [
    "public", "package", "internal", "final", "indirect", "@main", "@usableFromInline", "@frozen",
  ]

  /// The type that a line at the outermost level declares; nil if it declares none that other files
  /// can see.
  private static func typeName(_ line: [UInt8]) -> String? {
    guard let first = line.first, first != UInt8(ascii: " ") else { return nil }
    let words = String(decoding: line, as: UTF8.self).split { character in
      !character.utf8.allSatisfy(Phrase.isOfWord) && character != "@"
    }.map(String.init)
    let rest = words.drop { modifiers.contains($0) }
    guard let kind = rest.first, kinds.contains(kind) else { return nil }
    return rest.dropFirst().first
  }
}
