import Console
import Testing

@Suite struct CSVWriterTests {
  private func text(_ write: (inout CSVWriter) -> Void) -> String {
    var writer = CSVWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(
    "Fields are quoted where they have what separates fields or lines, and only there",
    arguments: [
      ("plain text", "plain text"), ("", ""), ("a,b", #""a,b""#),
      (#"say "yes""#, #""say ""yes""""#),
      ("two\nlines", "\"two\nlines\""), ("a\rb", "\"a\rb\""), ("ção;", "ção;"), ("\"", #""""""#),
    ])
  func quotes(field: String, written: String) {
    #expect(text { $0.line([field]) } == "\(written)\r\n")
  }

  @Test("Commas stand between fields, and each line ends")
  func separates() {
    let lines = text { writer in
      writer.line(["a", "", "c"])
      writer.line(["d"])
    }
    #expect(lines == "a,,c\r\nd\r\n")
  }
}
