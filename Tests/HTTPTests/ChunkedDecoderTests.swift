import HTTP
import Testing

@Suite struct ChunkedDecoderTests {
  /// The result of a decoder for `reads`.
  private struct Result: Equatable {
    var content: [UInt8] = []
    var consumed = 0
    var isFinished = false
    var error: HTTPError?
  }

  private func decode(_ reads: [[UInt8]]) -> Result {
    var decoder = ChunkedDecoder()
    var result = Result()
    do throws(HTTPError) {
      for read in reads {
        result.consumed += try decoder.decode(read.span, into: &result.content)
      }
      result.isFinished = decoder.isFinished
    } catch {
      // How far the last call came is lost with the error.
      result = Result(error: error)
    }
    return result
  }

  private func decode(_ text: String) -> Result { decode([Array(text.utf8)]) }

  @Test(
    "The content comes out, and what follows the body is left",
    arguments: [
      ("0\r\n\r\n", ""),
      ("5\r\nhello\r\n0\r\n\r\n", "hello"),
      ("1\r\na\r\n2\r\nbc\r\n00\r\n\r\n", "abc"),
      ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
      ("0000000000000002\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
      ("2;a\r\nxy\r\n0;b=\"c;d\"\te\r\n\r\n", "xy"),
      ("1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n", "x"),
    ])
  func good(body: String, content: String) {
    let expected = Result(
      content: Array(content.utf8), consumed: body.utf8.count, isFinished: true)
    #expect(decode(body) == expected)
    #expect(decode(body + "GET / HTTP/1.1\r\n") == expected)
  }

  @Test(
    "Every cut gives the same result",
    arguments: [
      "5;x=y\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\nA: b\r\nC: d\r\n\r\nGET / HTTP/1.1\r\n",
      "5\r\nhello\r\n5\r\nworld\n",
      "3\r\nabc\r\n0\r\nA b\r\n\r\n",
      "3\r\nabc",
    ])
  func everyCut(body: String) {
    let bytes = Array(body.utf8)
    let whole = decode([bytes])
    for cut in 0...bytes.count {
      #expect(decode([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole, "cut at \(cut)")
    }
    #expect(decode(bytes.map { [$0] }) == whole)
  }

  @Test(
    "An unfinished body isn't taken for a whole one",
    arguments: [
      "", "0", "0\r\n", "0\r\n\r", "5\r\nhello", "5\r\nhello\r\n", "5\r\nhell", "0\r\nA: b\r\n",
    ])
  func unfinished(body: String) {
    let result = decode(body)
    #expect(result.error == nil)
    #expect(!result.isFinished)
    #expect(result.consumed == body.utf8.count)
  }

  @Test(
    "Sizes and line ends of two meanings are refused",
    arguments: [
      ("\r\n", HTTPError.invalidChunkSize), (";a\r\n", .invalidChunkSize),
      ("-1\r\n", .invalidChunkSize), ("+1\r\n", .invalidChunkSize), (" 1\r\n", .invalidChunkSize),
      ("1 \r\n", .invalidChunkSize), ("1 ;a\r\n", .invalidChunkSize),
      ("1\t\r\n", .invalidChunkSize),
      ("0x1\r\n", .invalidChunkSize), ("1_0\r\n", .invalidChunkSize), ("g\r\n", .invalidChunkSize),
      ("1\nx\n", .invalidChunkSize), ("1\r\rx", .invalidChunkSize), ("1\rx", .invalidChunkSize),
      ("8000000000000000\r\n", .invalidChunkSize), ("ffffffffffffffff\r\n", .invalidChunkSize),
      ("10000000000000000\r\n", .invalidChunkSize), ("00000000000000001\r\n", .invalidChunkSize),
      ("1;a\nx", .invalidChunkExtension), ("1;a\u{0}\r\n", .invalidChunkExtension),
      ("1;a\r\r\n", .invalidChunkSize),
      ("1\r\nxy\r\n", .invalidChunkEnd), ("1\r\nx\n", .invalidChunkEnd),
      ("1\r\nx\r1\r\n", .invalidChunkEnd), ("1\r\nx0\r\n\r\n", .invalidChunkEnd),
      ("0\r\nA\r\n", .invalidTrailer), ("0\r\n: b\r\n", .invalidTrailer),
      ("0\r\nA : b\r\n", .invalidTrailer), ("0\r\n A: b\r\n", .invalidTrailer),
      ("0\r\nA: b\n", .invalidTrailer), ("0\r\nA: b\u{0}", .invalidTrailer),
      ("0\r\nA: b\r\r\n", .invalidTrailer), ("0\r\n\rx", .invalidTrailer),
      ("0\r\n\n", .invalidTrailer),
    ])
  func bad(body: String, error: HTTPError) {
    #expect(decode(body).error == error)
  }

  @Test("The largest size that can be counted is read")
  func largestSize() {
    #expect(decode("7fffffffffffffff\r\nx").content == Array("x".utf8))
  }

  @Test("Extensions have room for exactly their limit, over the whole body")
  func extensionLimit() {
    let half = String(repeating: "e", count: ChunkedDecoder.maximumExtensionBytes / 2)
    #expect(decode("1;\(half)\r\nx\r\n0;\(half)\r\n\r\n").isFinished)
    #expect(decode("1;\(half)\r\nx\r\n0;\(half)e\r\n\r\n").error == .chunkExtensionsTooLong)
  }

  @Test("Trailers have room for exactly their limit")
  func trailerLimit() {
    let value = String(repeating: "v", count: ChunkedDecoder.maximumTrailerBytes - 6)
    #expect(decode("0\r\nA:\(value)\r\n\r\n").isFinished)
    #expect(decode("0\r\nA:\(value)v\r\n\r\n").error == .trailersTooLarge)
  }

  @Test("After an error the decoder only repeats it")
  func errorStays() {
    var decoder = ChunkedDecoder()
    var content: [UInt8] = []
    for _ in 0..<2 {
      #expect(throws: HTTPError.invalidChunkSize) {
        try decoder.decode("x".utf8.span, into: &content)
      }
    }
    #expect(throws: HTTPError.invalidChunkSize) {
      try decoder.decode("0\r\n\r\n".utf8.span, into: &content)
    }
  }

  @Test("What the encoder writes is read back", arguments: [1, 9, 10, 15, 16, 255, 256, 70_000])
  func roundTrip(size: Int) {
    let chunk = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    var body: [UInt8] = []
    ChunkedEncoder.appendHeader(contentBytes: size, to: &body)
    body += chunk + Array("\(ChunkedEncoder.chunkEnd)".utf8)
    ChunkedEncoder.appendHeader(contentBytes: size, to: &body)
    body += chunk
    #expect(!decode([body]).isFinished)
    for end in [
      "\(ChunkedEncoder.lastChunkEnd)", "\(ChunkedEncoder.chunkEnd)\(ChunkedEncoder.bodyEnd)",
    ] {
      let whole = body + Array(end.utf8)
      let expected = Result(content: chunk + chunk, consumed: whole.count, isFinished: true)
      #expect(decode([whole]) == expected)
    }
  }

  @Test(
    "Sizes are written in hexadecimal without zeros before them",
    arguments: [
      (1, "1\r\n"), (15, "f\r\n"), (16, "10\r\n"), (4095, "fff\r\n"), (4096, "1000\r\n"),
      (Int.max, "7fffffffffffffff\r\n"),
    ])
  func headers(size: Int, line: String) {
    var output: [UInt8] = []
    ChunkedEncoder.appendHeader(contentBytes: size, to: &output)
    #expect(output == Array(line.utf8))
  }
}
