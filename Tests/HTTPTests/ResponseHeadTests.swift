import HTTP
import Testing

@Suite struct ResponseHeadTests {
  private func text(_ head: ResponseHead) -> String {
    var output: [UInt8] = []
    head.serialize(into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test("A head is written with its reason and fields in order")
  func serialization() throws {
    var head = ResponseHead(status: 429)
    head.fields.append(.contentLength, 0)
    try head.fields.append(line: "X-RateLimit-Reset: 1s".utf8.span)
    try head.fields.append("x-empty", "")
    #expect(
      text(head) == """
        HTTP/1.1 429 Too Many Requests\r
        content-length: 0\r
        X-RateLimit-Reset: 1s\r
        x-empty: \r
        \r\n
        """)
  }

  @Test(
    "Status codes have the registry's reasons, unknown ones none",
    arguments: [
      (100, "HTTP/1.1 100 Continue\r\n\r\n"), (200, "HTTP/1.1 200 OK\r\n\r\n"),
      (503, "HTTP/1.1 503 Service Unavailable\r\n\r\n"), (529, "HTTP/1.1 529 \r\n\r\n"),
      (999, "HTTP/1.1 999 \r\n\r\n"),
    ])
  func reasons(status: Int, written: String) {
    #expect(text(ResponseHead(status: status)) == written)
  }

  @Test("A head is appended to what is there")
  func appends() {
    var output = Array("x".utf8)
    ResponseHead(status: 204).serialize(into: &output)
    #expect(output == Array("xHTTP/1.1 204 No Content\r\n\r\n".utf8))
  }
}
