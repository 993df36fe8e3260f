import Testing

@testable import HTTP

@Suite struct RequestLimitsTests {
  @Test("A head of exactly the limit passes, one byte more doesn't")
  func headBytes() {
    let request = get("A: 1234567890\r\n")
    let size = request.utf8.count
    #expect(parse(request, limits: RequestLimits(headBytes: size)).consumed == [size])
    #expect(parse(request, limits: RequestLimits(headBytes: size - 1)).error == .headerTooLarge)
  }

  @Test("The limit of a head holds wherever its bytes are cut, and not for what follows it")
  func headBytesAtEveryCut() {
    let request = Array(get("A: 1234567890\r\n").utf8)
    let limits = RequestLimits(headBytes: request.count)
    for cut in 0...request.count {
      let fits = parse([Array(request[..<cut]), request[cut...] + request], limits: limits)
      #expect(fits.heads.count == 2)
      let tight = RequestLimits(headBytes: request.count - 1)
      let reads = [Array(request[..<cut]), Array(request[cut...])]
      #expect(parse(reads, limits: tight).error == .headerTooLarge)
    }
  }

  @Test("A head that never ends is refused once the limit is reached")
  func endlessHead() {
    let line = [UInt8](repeating: UInt8(ascii: "a"), count: 99)
    let limits = RequestLimits(headBytes: 100)
    #expect(parse([line], limits: limits) == Outcome())
    #expect(parse([line, [65]], limits: limits).error == .headerTooLarge)
  }

  @Test("As many fields as the limit pass, one more doesn't")
  func fields() {
    let limits = RequestLimits(fields: 3)
    #expect(parse(get("A: 1\r\nB: 2\r\n"), limits: limits).heads.count == 1)
    #expect(parse(get("A: 1\r\nB: 2\r\nC: 3\r\n"), limits: limits).error == .tooManyFields)
  }

  @Test("A target of exactly the limit passes, one byte more doesn't")
  func targetBytes() {
    let limits = RequestLimits(targetBytes: 10)
    #expect(parse("GET /123456789 HTTP/1.1\r\nHost: a\r\n\r\n", limits: limits).heads.count == 1)
    #expect(parse("GET /1234567890 HTTP/1.1\r\n", limits: limits).error == .targetTooLong)
  }

  @Test(
    "Each error has the status that the RFCs give it",
    arguments: [
      (HTTPError.headerTooLarge, 431), (.tooManyFields, 431), (.targetTooLong, 414),
      (.unsupportedVersion, 505), (.unsupportedMethod, 501), (.unsupportedTransferEncoding, 501),
      (.unsupportedExpectation, 417), (.conflictingFraming, 400), (.invalidHost, 400),
    ])
  func statuses(error: HTTPError, status: Int) {
    #expect(error.status == status)
  }

  @Test("A parsed head is one copy of its bytes and one array of ranges, however many fields")
  func parsedHeadIsCompact() throws {
    let head = try #require(onlyHead(chatCompletionRequest))
    #expect(head.fields.storage.count == chatCompletionRequest.utf8.count)
    #expect(head.fields.storage.capacity < 2 * head.fields.storage.count)
    #expect(head.fields.ranges.count == 14)
    #expect(head.fields.ranges.capacity < 32)
    #expect(MemoryLayout<FieldRange>.stride == 16)
  }

  @Test("Fields left out of a copy cost no copy of the bytes")
  func removalSharesBytes() throws {
    let fields = try #require(onlyHead(chatCompletionRequest)).fields
    var forwarded = fields
    forwarded.removeHopByHop()
    #expect(forwarded.count == 13)
    let addresses = [fields, forwarded].map { fields in
      fields.storage.withUnsafeBufferPointer { $0.baseAddress }
    }
    #expect(addresses[0] == addresses[1])
  }
}
