import Testing

@testable import Configuration

@Suite struct YAMLTests {
  private func refusal(_ text: String) -> [String] {
    let diagnostics = DiagnosticCollector()
    _ = YAMLParser.parse(SourceText(path: "f", bytes: Array(text.utf8)), diagnostics)
    return diagnostics.mistakes.map(\.description)
  }

  private func parse(_ bytes: [UInt8]) -> (root: YAMLNode?, source: SourceText) {
    let source = SourceText(path: "f", bytes: bytes)
    return (YAMLParser.parse(source, DiagnosticCollector()), source)
  }

  @Test(
    "What a configuration has no use for is refused where it stands",
    arguments: [
      ("a: &x 1\n", "f:1:4: an anchor (&name); write the value out where it is needed"),
      ("a: *x\n", "f:1:4: an alias (*name); write the value out instead"),
      ("a: !!int 1\n", "f:1:4: a tag (!name); values need none here"),
      ("a: 1\n---\nb: 2\n", "f:3:1: a second document; allowed: one document a file"),
      ("? [a]\n: 1\n", "f:1:3: a key that is a list or a mapping; allowed: a name"),
      ("a: 1\nb: 2\na: 3\n", "f:3:1: the key \"a\" is repeated; it stands already in line 1"),
      (
        "a:\n\t- b\n",
        "f:2:1: not YAML: while scanning for the next token found character that cannot "
          + "start any token"
      ),
      (
        "a: [1\n",
        "f:2:1: not YAML: while parsing a flow sequence did not find expected ',' or ']'"
      ),
      ("ab: \u{1}\n", "f:1:5: not YAML: control characters are not allowed"),
    ])
  func refused(text: String, mistake: String) {
    #expect(refusal(text) == [mistake])
  }

  @Test("Bytes that are not UTF-8 are refused at the byte")
  func invalidUTF8() {
    let diagnostics = DiagnosticCollector()
    let bytes = Array("a: 1\nb: ".utf8) + [0xFF, 0x0A]
    #expect(YAMLParser.parse(SourceText(path: "f", bytes: bytes), diagnostics) == nil)
    #expect(
      diagnostics.mistakes.map(\.description)
        == ["f:2:4: not YAML: invalid leading UTF-8 octet"])
  }

  @Test("A byte order mark is no part of the text, nor of the places in it")
  func byteOrderMark() {
    let (root, source) = parse([0xEF, 0xBB, 0xBF] + Array("a: 1\nb: 2\n".utf8))
    #expect(root?["a"].map { source.position(of: $0.mark).description } == "f:1:7")
    #expect(root?["b"].map { source.position(of: $0.mark).description } == "f:2:4")
  }

  @Test("A repeated key is found in long mappings too, and each repetition is told")
  func repeatedKeysInLongMapping() {
    let keys = (0..<40).map { "key\($0): 1" } + ["key3: 2", "key39: 2"]
    #expect(
      refusal(keys.joined(separator: "\n")) == [
        "f:41:1: the key \"key3\" is repeated; it stands already in line 4",
        "f:42:1: the key \"key39\" is repeated; it stands already in line 40",
      ])
  }

  @Test("A deeply nested file is refused")
  func deepNesting() {
    let depth = YAMLParser.deepestNesting + 1
    let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(refusal(text) == ["f:1:\(depth): nested too deeply; allowed: 24 levels"])
  }

  @Test("An empty file is an empty mapping", arguments: ["", "# nothing\n", "---\n"])
  func empty(text: String) {
    let root = parse(Array(text.utf8)).root
    switch root?.content {
    case .mapping(let entries): #expect(entries.isEmpty)
    case .scalar: #expect(root?.isNull == true)
    default: Issue.record("no root")
    }
  }

  @Test(
    "Columns are counted in bytes, after every kind of line break",
    arguments: [
      ("a: { b: x }", 1, 9), ("\"é\": x", 1, 7), ("\"日本\": x", 1, 11),
      ("# é\r\na: x", 2, 4), ("# é\ra: x", 2, 4), ("a: # \u{2028}  x", 2, 3),
      ("\u{FEFF}a: x", 1, 7),
    ])
  func columns(text: String, line: Int, column: Int) throws {
    let (root, source) = parse(Array(text.utf8))
    var node = try #require(root)
    while case .mapping(let entries) = node.content { node = entries[0].value }
    #expect(source.position(of: node.mark) == SourcePosition(file: "f", line: line, column: column))
  }

  @Test("Lists and mappings inside each other keep their order, texts and places")
  func nested() throws {
    let text = "a: [x, {b: [], c: 'y'}, [z]]\nempty:\nlast: {}\n"
    let root = try #require(parse(Array(text.utf8)).root)
    #expect(
      described(root) == "{a@0: [x, {b@8: [], c@15: 'y'}, [z]], empty@0: , last@0: {}}")
    #expect(root["last"]?.mark == YAMLMark(line: 2, column: 6))
    #expect(root["b"] == nil)
  }

  @Test("A key is unread until its value was read, and an absent one changes nothing")
  func unreadKeys() throws {
    let root = try #require(parse(Array("ab: 1\na: 2\nabc: {a: 3}\n".utf8)).root)
    #expect(root.read("b") == nil)
    #expect(root["a"] != nil)
    #expect(root.unreadKeys.map(\.key) == ["ab", "a", "abc"])
    guard case .scalar("2", isPlain: true) = root.read("a")?.content else {
      Issue.record("another value")
      return
    }
    #expect(root.unreadKeys.map(\.key) == ["ab", "abc"])
    #expect(root.unreadKeys.map(\.mark.line) == [0, 2])
    #expect(root["abc"]?.unreadKeys.map(\.key) == ["a"])
  }

  /// A node as flow text, with the column of each key.
  private func described(_ node: YAMLNode) -> String {
    switch node.content {
    case .scalar(let text, let isPlain): isPlain ? text : "'\(text)'"
    case .sequence(let items): "[\(items.map(described).joined(separator: ", "))]"
    case .mapping(let entries):
      "{"
        + entries.map { "\($0.key)@\($0.keyMark.column): \(described($0.value))" }
        .joined(separator: ", ") + "}"
    }
  }

  @Test("Only a plain null is nothing", arguments: [("~", true), ("null", true), ("", true)])
  func null(text: String, isNull: Bool) throws {
    #expect(parse(Array("a: \(text)".utf8)).root?["a"]?.isNull == isNull)
    #expect(parse(Array("a: '\(text)'".utf8)).root?["a"]?.isNull == false)
  }
}
