import Compression
import Testing

@Suite("Content codings")
struct ContentDecoderTests {
  private static let text = #"{"usage":{"total_tokens":7}}"#

  /// `text` as the libraries of other programs code it.
  private static let coded: [(coding: ContentCoding, hex: String)] = [
    (
      .gzip,
      "1f8b0800000000000203ab562a2d4e4c4f55b2aa562ac92f49cc892fc9cf4ecd2b56b232afad0500"
        + "8967ebb91c000000"
    ),
    (
      .deflate,
      "78daab562a2d4e4c4f55b2aa562ac92f49cc892fc9cf4ecd2b56b232afad0500946e0a50"
    ),
    (.deflate, "ab562a2d4e4c4f55b2aa562ac92f49cc892fc9cf4ecd2b56b232afad0500"),
    (.brotli, "8b0d807b227573616765223a7b22746f74616c5f746f6b656e73223a377d7d03"),
    (.zstd, "28b52ffd201ce100007b227573616765223a7b22746f74616c5f746f6b656e73223a377d7d"),
  ]

  private static func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.utf8.count, by: 2).map { offset in
      let start = hex.index(hex.startIndex, offsetBy: offset)
      return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)!
    }
  }

  private func decode(_ body: [UInt8], _ coding: ContentCoding) throws -> String {
    String(decoding: try ContentDecoder.decode(body, as: coding, atMost: 100), as: UTF8.self)
  }

  @Test("Bodies of other programs are decoded", arguments: coded)
  func whole(_ coding: ContentCoding, _ hex: String) throws {
    #expect(try decode(Self.bytes(hex), coding) == Self.text)
  }

  @Test("A body is decoded however it is cut", arguments: coded)
  func cut(_ coding: ContentCoding, _ hex: String) throws {
    var decoder = ContentDecoder(coding)
    var text: [UInt8] = []
    for byte in Self.bytes(hex) {
      var position = 0
      while try decoder.decode([byte], from: &position, into: &text) {}
    }
    #expect(String(decoding: text, as: UTF8.self) == Self.text)
    let isComplete = decoder.isComplete
    #expect(isComplete)
  }

  @Test("A body that ends too early is truncated, at each of its bytes", arguments: coded)
  func truncated(_ coding: ContentCoding, _ hex: String) {
    let body = Self.bytes(hex)
    for count in 1..<body.count {
      #expect(throws: DecodingError.truncated, "after \(count) bytes") {
        try decode(Array(body[..<count]), coding)
      }
    }
  }

  @Test("What follows a body's end is malformed", arguments: coded)
  func trailingGarbage(_ coding: ContentCoding, _ hex: String) {
    #expect(throws: DecodingError.malformed) { try decode(Self.bytes(hex) + [7, 7, 7, 7], coding) }
  }

  @Test("Members of gzip and frames of Zstandard are one body", arguments: coded)
  func severalMembers(_ coding: ContentCoding, _ hex: String) throws {
    let twice = Self.bytes(hex) + Self.bytes(hex)
    switch coding {
    case .gzip, .zstd: #expect(try decode(twice, coding) == Self.text + Self.text)
    case .deflate, .brotli:
      #expect(throws: DecodingError.malformed) { try decode(twice, coding) }
    }
  }

  @Test("Plain text, and what another coding made, is malformed", arguments: ContentCoding.allCases)
  func other(_ coding: ContentCoding) {
    #expect(throws: DecodingError.malformed) { try decode(Array(Self.text.utf8), coding) }
    for (other, hex) in Self.coded where other != coding {
      #expect(throws: DecodingError.self, "\(other)") { try decode(Self.bytes(hex), coding) }
    }
  }

  @Test("Nothing is coded as nothing", arguments: ContentCoding.allCases)
  func empty(_ coding: ContentCoding) throws {
    #expect(try decode([], coding) == "")
  }

  @Test("A decoded body has as many bytes as it may, and no more", arguments: coded)
  func limit(_ coding: ContentCoding, _ hex: String) throws {
    let body = Self.bytes(hex)
    #expect(try ContentDecoder.decode(body, as: coding, atMost: Self.text.utf8.count).count == 28)
    #expect(throws: DecodingError.tooLarge(limit: 27)) {
      try ContentDecoder.decode(body, as: coding, atMost: 27)
    }
  }

  /// A frame of Zstandard whose blocks say `repeat one byte 128 KiB times`, 4 bytes each.
  private static func frame(blocks: Int) -> [UInt8] {
    // Magic number, no flags, a window of 128 KiB.
    let head: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
    let block: [UInt8] = [0x02, 0x00, 0x10, 0x61]
    return head + (1..<blocks).flatMap { _ in block } + [0x03, 0x00, 0x10, 0x61]
  }

  @Test("A body beyond the ratio may have 4 MiB")
  func ratio() throws {
    let most = ContentDecoder.freeBytes >> 17
    let decoded = try ContentDecoder.decode(Self.frame(blocks: most), as: .zstd, atMost: .max)
    #expect(decoded.count == ContentDecoder.freeBytes)
    #expect(throws: DecodingError.tooDense) {
      try ContentDecoder.decode(Self.frame(blocks: most + 2), as: .zstd, atMost: .max)
    }
  }

  @Test("A dense body is decoded in parts of bounded size")
  func parts() throws {
    var decoder = ContentDecoder(.zstd)
    var (position, part) = (0, [UInt8]())
    let body = Self.frame(blocks: 30)
    var (count, hasMore) = (0, true)
    while hasMore {
      part.removeAll(keepingCapacity: true)
      hasMore = try decoder.decode(body, from: &position, into: &part)
      #expect(part.count <= ContentDecoder.partBytes + 32 << 10)
      count += part.count
    }
    #expect(count == 30 << 17)
  }

  @Test("A frame of Zstandard that wants more than 8 MiB of memory is malformed")
  func window() {
    // Its window has 2^(10 + 14) bytes, 16 MiB.
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 14 << 3, 0x0B, 0x00, 0x00, 0x61]
    #expect(throws: DecodingError.malformed) { try decode(frame, .zstd) }
    var smaller = frame
    smaller[5] = 13 << 3
    #expect(throws: Never.self) { try decode(smaller, .zstd) }
  }

  @Test("Frames that no standard of HTTP knows are malformed, and those to be skipped are skipped")
  func kinds() throws {
    // A frame of Zstandard 0.5, which its library still reads.
    let old = "25b52ffd003802001000020010000200100002001000616c00ffff0100100002"
    #expect(throws: DecodingError.malformed) {
      try ContentDecoder.decode(Self.bytes(old), as: .zstd, atMost: .max)
    }
    let (_, frame) = Self.coded[4]
    for first in ["50", "5f"] {
      let skipped = "\(first)2a4d1803000000616c6c"
      #expect(try decode(Self.bytes(skipped + frame + skipped), .zstd) == Self.text)
    }
  }

  @Test("Room is asked for before it is taken, and a refusal ends the decoding")
  func room() {
    struct Refused: Error {}
    var asked: [Int] = []
    #expect(throws: Refused.self) {
      try ContentDecoder.decode(Self.frame(blocks: 30), as: .zstd, atMost: .max) { room in
        asked.append(room)
        if room > 1 << 20 { throw Refused() }
      }
    }
    #expect(asked.count == 3 && asked == asked.sorted())
  }

  @Test(
    "Names of codings are read in any case",
    arguments: [
      ("gzip", ContentCoding.gzip), ("X-GZip", .gzip), ("Deflate", .deflate), ("BR", .brotli),
      ("zstd", .zstd), ("identity", nil), ("compress", nil), ("", nil),
    ])
  func name(_ name: String, _ coding: ContentCoding?) {
    #expect(ContentCoding(name: name) == coding)
  }
}
