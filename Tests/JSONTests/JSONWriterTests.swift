import JSON
import Testing

@Suite("JSON is written compact and escaped")
struct JSONWriterTests {
  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("commas stand between values, and nowhere else")
  func structure() {
    let written = text { writer in
      writer.object {
        $0.member("a", 1)
        $0.member("b", String?.none)
        $0.member("c") {
          $0.array {
            $0.boolean(true); $0.null(); $0.array { _ in }; $0.object { _ in }
          }
        }
        $0.member("d") { $0.raw("{\"e\":2}".utf8) }
        $0.member("f", "g")
        $0.member("h", false)
      }
    }
    #expect(
      written == #"{"a":1,"b":null,"c":[true,null,[],{}],"d":{"e":2},"f":"g","h":false}"#)
  }

  @Test("what must be escaped is, and reads back the same")
  func escapes() throws {
    let written = text { $0.string("a\"\\\n\r\t\u{0}\u{1F}/é🦙") }
    #expect(written == #""a\"\\\n\r\t\u0000\u001f/é🦙""#)
    let hostile = String(String.UnicodeScalarView((0..<0x300).compactMap(Unicode.Scalar.init)))
    let bytes = Array(text { $0.string(hostile) }.utf8)
    #expect(try JSONParser().parse(bytes).string == hostile)
  }

  @Test("what must be escaped is found wherever it stands, in texts of any length")
  func placesOfEscapes() {
    for count in 0...25 {
      let plain = String("éabcdefghijklmnopqrstuvwxyz".prefix(count))
      #expect(text { $0.string(plain) } == "\"\(plain)\"")
      for place in 0..<count {
        let before = String(plain.prefix(place))
        let after = String(plain.dropFirst(place + 1))
        #expect(text { $0.string("\(before)\n\(after)") } == "\"\(before)\\n\(after)\"")
      }
    }
  }

  @Test("a constant is written like any other text")
  func constants() {
    let written = text { writer in
      writer.array {
        $0.string(constant: "a")
        $0.string("")
        $0.string(constant: "b")
      }
    }
    #expect(written == #"["a","","b"]"#)
  }

  @Test("integers are exact", arguments: [0, 7, -1, 10, .max, .min, 1 << 53] as [Int64])
  func integers(_ value: Int64) {
    #expect(text { $0.integer(value) } == "\(value)")
  }

  @Test("a text is appended to what is there")
  func appending() {
    var writer = JSONWriter(appendingTo: Array("log ".utf8))
    writer.string("x")
    #expect(writer.bytes == Array("log \"x\"".utf8))
  }
}
