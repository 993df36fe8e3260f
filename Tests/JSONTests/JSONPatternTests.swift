import JSON
import Randomness
import Testing

@Suite("A text that differs only in certain values is known without being parsed")
struct JSONPatternTests {
  private let parser = JSONParser()
  private static let keys = JSONPattern.Keys(
    counted: ["text"], strings: ["noise"], numbers: ["number"])

  private func pattern(_ text: String, mark: Int = 0) throws -> JSONPattern? {
    JSONPattern(of: try parser.parse(Array(text.utf8)), varying: Self.keys, mark: mark)
  }

  private static let model =
    #"{"id":"a","number":7,"all":[{"text":"Olá"}],"noise":"xy","end":null}"#

  @Test(
    "texts of the same make are recognized",
    arguments: [
      (model, 4),
      (#"{"id":"a","number":123456,"all":[{"text":""}],"noise":"","end":null}"#, 0),
      (#"{"id":"a","number":0,"all":[{"text":"çãé €"}],"noise":"longer","end":null}"#, 10),
    ])
  func recognized(_ text: String, _ countedBytes: Int) throws {
    let pattern = try #require(try pattern(Self.model))
    #expect(pattern.match(text.utf8.span)?.countedBytes == countedBytes)
  }

  @Test(
    "any other text is not",
    arguments: [
      #"{"id":"b","number":7,"all":[{"text":"x"}],"noise":"xy","end":null}"#,
      #"{"id":"a","number":7,"all":[{"text":"x"}],"noise":"xy","end":true}"#,
      #"{"id":"a","number":7,"all":[{"text":"x"}],"noise":"xy","end":null}}"#,
      #"{"id":"a","number":7,"all":[{"text":"x"}],"noise":"xy","end":null"#,
      #"{"id":"a","number":7,"all":[{"text":"\n"}],"noise":"xy","end":null}"#,
      #"{"id":"a","number":7,"all":[{"text":null}],"noise":"xy","end":null}"#,
      #"{"id":"a","number":07,"all":[{"text":"x"}],"noise":"xy","end":null}"#,
      #"{"id":"a","number":7.5,"all":[{"text":"x"}],"noise":"xy","end":null}"#,
      #"{"id":"a","number":,"all":[{"text":"x"}],"noise":"xy","end":null}"#,
      #"{"id":"a","number":1234567890123456789012,"all":[{"text":"x"}],"noise":"","end":null}"#,
      "{\"id\":\"a\",\"number\":7,\"all\":[{\"text\":\"\t\"}],\"noise\":\"xy\",\"end\":null}",
      "",
    ])
  func unknown(_ text: String) throws {
    let pattern = try #require(try pattern(Self.model))
    #expect(pattern.match(text.utf8.span) == nil)
  }

  @Test("a value that isn't UTF-8 is not recognized")
  func invalidUTF8() throws {
    let pattern = try #require(try pattern(Self.model))
    var bytes = Array(Self.model.utf8)
    let place = try #require(bytes.firstIndex(of: UInt8(ascii: "O")))
    bytes[place] = 0xC3
    #expect(pattern.match(bytes.span) == nil)
  }

  @Test("a text without such values, or with escapes in them, makes no pattern")
  func noPattern() throws {
    #expect(try pattern(#"{"id":"a"}"#) == nil)
    #expect(try pattern(#"{"text":"a\nb"}"#) == nil)
    #expect(try pattern(#"["text","a"]"#) == nil)
    #expect(try pattern(#"{"text":null}"#) == nil)
  }

  @Test("it is said how far what follows a value has moved")
  func shift() throws {
    let mark = try #require(Self.model.utf8.firstIndex(of: UInt8(ascii: "]")))
    let offset = Self.model.utf8.distance(from: Self.model.utf8.startIndex, to: mark)
    let pattern = try #require(try pattern(Self.model, mark: offset))
    let other = #"{"id":"a","number":10,"all":[{"text":"12345678"}],"noise":"","end":null}"#
    let match = pattern.match(other.utf8.span)
    #expect(match?.shift == 1 + 4)
  }

  @Test(
    "what is recognized parses, whichever bytes are changed",
    arguments: 0..<20 as Range<UInt64>)
  func mutations(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pattern = try #require(try pattern(Self.model))
    let alphabet = Array(#""\{}[],:0189.-e xÁ"#.utf8)
    var recognized = 0
    for _ in 0..<2_000 {
      var bytes = Array(Self.model.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        let byte = alphabet[Int.random(in: alphabet.indices, using: &random)]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        default: bytes.remove(at: place)
        }
      }
      guard let match = pattern.match(bytes.span) else { continue }
      recognized += 1
      let root = try parser.parse(bytes)
      let text = root["all"].flatMap { Array($0.elements).first?["text"]?.utf8Count }
      #expect(text == match.countedBytes)
      #expect(root["number"]?.integer != nil && root["id"]?.string == "a")
      #expect(root["noise"]?.string != nil && root["end"]?.isNull == true)
    }
    #expect(recognized > 0)
  }
}
