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

  @Test(
    "What a spreadsheet would compute is text, and numbers stay numbers",
    arguments: [
      ("=1+1", "'=1+1"), ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"), ("-1+1", "'-1+1"),
      ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""), ("\n=1", "\"'\n=1\""),
      (#"=HYPERLINK("http://h","x")"#, #""'=HYPERLINK(""http://h"",""x"")""#),
      ("-0.000000021", "-0.000000021"), ("+5", "+5"), ("-1", "-1"), ("-", "'-"), ("-.5", "'-.5"),
      ("＝1+1", "'＝1+1"), ("＋1", "'＋1"), ("－1", "'－1"), ("＠SUM(A1)", "'＠SUM(A1)"),
      (" =1+1", "' =1+1"), ("   ＝1", "'   ＝1"), ("\u{A0}=1", "'\u{A0}=1"),
      ("\u{3000}=1", "'\u{3000}=1"), ("\u{FEFF}=1", "'\u{FEFF}=1"), ("\u{200B}@a", "'\u{200B}@a"),
      ("\0=1", "'\0=1"), (" \t\r=1", "\"' \t\r=1\""), ("\r＝1", "\"'\r＝1\""), ("−1+1", "'−1+1"),
      ("﹦1", "'﹦1"), (" -5", "' -5"), (" a=1", " a=1"), ("ção=1", "ção=1"), ("  ", "  "),
      ("-1.2.3", "'-1.2.3"), ("--1", "'--1"), ("a=1", "a=1"), ("{\"a\":1}", "\"{\"\"a\"\":1}\""),
    ])
  func formulas(field: String, written: String) {
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
