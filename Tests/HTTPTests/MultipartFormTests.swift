import HTTP
import Testing

@Suite("Multipart forms")
struct MultipartFormTests {
  static let type = "multipart/form-data; boundary=X"

  static func parse(_ text: String, type: String = type) throws(MultipartError) -> MultipartForm {
    try MultipartForm(Array(text.utf8), contentType: type)
  }

  static func part(_ name: String, _ content: String) -> String {
    "--X\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(content)\r\n"
  }

  @Test("Fields and files are found where they stand, whatever bytes they have")
  func parts() throws {
    var body = Array(Self.part("model", "whisper-1").utf8)
    body += Array("--X\r\ncontent-type: audio/wav\r\n".utf8)
    body += Array("Content-Disposition: form-data; name=\"file\"; filename=\"à.wav\"\r\n\r\n".utf8)
    let content: [UInt8] = [0, 13, 10, 45, 45, 255, 10]
    body += content
    body += Array("\r\n--X--\r\n".utf8)
    let form = try MultipartForm(body, contentType: Self.type)
    #expect(form.parts.map(\.name) == ["model", "file"])
    #expect(form.parts.map(\.filename) == [nil, "à.wav"])
    #expect(Array(body[form.parts[0].content]) == Array("whisper-1".utf8))
    #expect(Array(body[form.parts[1].content]) == content)
  }

  @Test("A form without parts, an empty content and a missing last line break are fine")
  func empty() throws {
    #expect(try Self.parse("--X--").parts.isEmpty)
    #expect(try Self.parse(Self.part("a", "") + "--X--\r\n").parts[0].content.isEmpty)
  }

  @Test(
    "The boundary is taken from the media type, quoted or not",
    arguments: [
      ("multipart/form-data; boundary=abc", "abc"),
      ("Multipart/Form-Data;boundary=\"abc\"", "abc"),
      ("multipart/form-data; charset=utf-8; BOUNDARY=a-b_1", "a-b_1"),
      ("multipart/form-data", nil),
      ("multipart/mixed; boundary=abc", nil),
      ("multipart/form-data; boundary=", nil),
      ("multipart/form-data; boundary=a; charset=\"UTF-8\"", "a"),
      ("multipart/form-data; boundary=a; charset=utf-16", nil),
      ("multipart/form-data; boundary=a; boundary*=utf-8''b", nil),
      ("multipart/form-data; boundary*0=a; boundary=b", nil),
      ("multipart/form-data; boundary=a; x=\";boundary=b\"", nil),
      ("multipart/form-data; boundary =a", nil), ("multipart/form-data; boundary= a", nil),
      ("multipart/form-data; boundary=a;", nil),
      ("multipart/form-data; boundary=a; boundary=b", nil),
      ("multipart/form-data; boundary=\"a b\"", nil),
      ("multipart/form-data; boundary=" + String(repeating: "a", count: 71), nil),
    ])
  func boundary(_ type: String, _ expected: String?) {
    #expect(MultipartForm.boundary(of: type) == expected)
  }

  @Test(
    "A part is UTF-8 and no form of its own",
    arguments: [
      ("Content-Type: text/plain", nil), ("Content-Type: text/plain; charset=UTF-8", nil),
      ("content-type: text/plain;charset=\"us-ascii\"", nil),
      ("Content-Type: audio/ogg; codecs=opus", nil),
      ("Content-Type: text/plain; charset=utf-16", .unsupportedCharset),
      ("Content-Type: text/plain; Charset = utf-7", .unsupportedCharset),
      ("Content-Type: text/plain; charset*=utf-8''utf-16", .unsupportedCharset),
      ("Content-Type: text/plain; charset=utf-8; charset=utf-16", .unsupportedCharset),
      ("Content-Type: multipart/mixed; boundary=Y", .unsupportedCharset),
      ("Content-Type: text/plain\r\nContent-Type: text/plain", .invalidPartHead),
    ] as [(String, MultipartError?)])
  func charsets(_ head: String, _ expected: MultipartError?) throws {
    let part = Self.part("model", "m").dropFirst("--X\r\n".count)
    let body = "--X\r\n\(head)\r\n\(part)--X--"
    if let expected {
      #expect(throws: expected) { try Self.parse(body) }
    } else {
      #expect(try Self.parse(body).parts.map(\.name) == ["model"])
    }
  }

  @Test(
    "A part that gives the charset of the others is refused", arguments: ["_charset_", "_Charset_"])
  func charsetPart(_ name: String) {
    #expect(throws: MultipartError.unsupportedCharset) {
      try Self.parse(Self.part(name, "utf-16") + "--X--")
    }
  }

  @Test(
    "What two readers could take apart differently is refused",
    arguments: [
      ("", .textOutsideParts),
      ("\r\n--X--", .textOutsideParts),
      ("preamble\r\n" + part("a", "1") + "--X--", .textOutsideParts),
      (part("a", "1") + "--X--\r\nepilogue", .textOutsideParts),
      (part("a", "1") + "--X--\r\n" + part("b", "1") + "--X--", .textOutsideParts),
      (part("a", "1"), .incomplete),
      (part("a", "1") + "--X", .incomplete),
      (part("a", "1") + "--X \r\n", .misplacedBoundary),
      (part("a", "1") + "--X\n", .misplacedBoundary),
      (part("a", "1 --X 2") + "--X--", .misplacedBoundary),
      (part("a", "1\n--X--") + "--X--", .misplacedBoundary),
      (part("a", "1\r\n--XY") + "--X--", .misplacedBoundary),
      ("--X\r\n\r\n1\r\n--X--", .invalidDisposition),
      ("--X\r\nContent-Type: text/plain\r\n\r\n1\r\n--X--", .invalidDisposition),
      ("--X\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--X--", .invalidDisposition),
      ("--X\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n\r\n--X--", .invalidDisposition),
      (
        "--X\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\n1\r\n--X--",
        .invalidDisposition
      ),
      (
        "--X\r\nContent-Disposition: form-data; name=\"a\\\"b\"\r\n\r\n1\r\n--X--",
        .invalidDisposition
      ),
      (
        "--X\r\nContent-Disposition: form-data; name=\"a\"; filename*=UTF-8''b\r\n\r\n\r\n--X--",
        .invalidDisposition
      ),
      (
        "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n"
          + "Content-Disposition: form-data; name=\"b\"\r\n\r\n1\r\n--X--", .invalidDisposition
      ),
      (
        "--X\r\nContent-Disposition: form-data;\r\n name=\"a\"\r\n\r\n1\r\n--X--",
        .invalidDisposition
      ),
      (
        "--X\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64"
          + "\r\n\r\nMQ==\r\n--X--", .unsupportedTransferEncoding
      ),
      ("--X\r\nContent-Disposition: form-data; name=\"a\"\n\n1\r\n--X--", .invalidPartHead),
      ("--X\r\nContent-Disposition form-data\r\n\r\n1\r\n--X--", .invalidPartHead),
      ("--X\r\n--X--", .misplacedBoundary),
    ] as [(String, MultipartError)])
  func refusals(_ text: String, _ expected: MultipartError) {
    #expect(throws: expected) { try Self.parse(text) }
  }

  @Test("The number of parts and the size of a head are limited")
  func limits() {
    let many = String(repeating: Self.part("a", ""), count: MultipartForm.mostParts + 1)
    #expect(throws: MultipartError.tooManyParts) { try Self.parse(many + "--X--") }
    let padding = String(repeating: "y", count: MultipartForm.largestPartHead)
    #expect(throws: MultipartError.partHeadTooLarge) {
      try Self.parse("--X\r\nX-Padding: \(padding)\r\n\r\n\r\n--X--")
    }
  }

  @Test("A boundary is found wherever a byte before it resembles its beginning")
  func overlapping() throws {
    let boundary = "--aab"
    let body =
      "----aab\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n----aaab--aa\r\n----aab--"
    let form = try Self.parse(body, type: "multipart/form-data; boundary=\(boundary)")
    #expect(form.parts[0].content.count == "----aaab--aa".utf8.count)
  }
}
