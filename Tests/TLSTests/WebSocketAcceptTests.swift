import TLS
import Testing

@Suite("The answer to a WebSocket's key")
struct WebSocketAcceptTests {
  @Test("The example of RFC 6455, 1.3")
  func example() {
    #expect(
      WebSocketAccept.value(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }
}
