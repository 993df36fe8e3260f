/// A client's request to continue as a WebSocket (RFC 6455, 4.2.1), after its checks.
public struct WebSocketUpgrade: Hashable, Sendable {
  /// The key that the answer proves to have read.
  public let key: String
  /// The subprotocols that the client offers, in its order.
  public let protocols: [String]

  /// The only version that exists.
  public static let version = "13"
  /// 16 bytes in base64.
  private static let keyLength = 24

  /// Checks a request.
  /// - Throws: `WebSocketUpgradeError`.
  public init(of head: RequestHead) throws(WebSocketUpgradeError) {
    let fields = head.fields
    guard fields.contains(.upgrade, token: "websocket"),
      fields.contains(.connection, token: "upgrade")
    else { throw .notAsked }
    guard head.method == .get, head.version == .http11, !head.framing.hasContent else {
      throw .invalidRequest
    }
    guard fields.values(.secWebSocketVersion) == [Self.version] else {
      throw .unsupportedVersion
    }
    let keys = fields.values(.secWebSocketKey)
    guard keys.count == 1, Self.isKey(keys[0]) else { throw .invalidKey }
    key = keys[0]
    var protocols: [String] = []
    fields.forEachListMember(.secWebSocketProtocol) { protocols.append(String($0)) }
    self.protocols = protocols
  }

  private static func isKey(_ text: String) -> Bool {
    text.utf8.count == keyLength && text.hasSuffix("==")
      && text.utf8.dropLast(2).allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}

/// The reason that a request can't continue as a WebSocket.
public enum WebSocketUpgradeError: Error, Hashable, Sendable {
  /// The request asks for an ordinary answer.
  case notAsked
  /// Only a `GET` of HTTP/1.1 without a body can ask for it.
  case invalidRequest
  case unsupportedVersion
  case invalidKey
}

extension FieldName {
  public static let secWebSocketAccept: FieldName = "sec-websocket-accept"
  public static let secWebSocketExtensions: FieldName = "sec-websocket-extensions"
  public static let secWebSocketKey: FieldName = "sec-websocket-key"
  public static let secWebSocketProtocol: FieldName = "sec-websocket-protocol"
  public static let secWebSocketVersion: FieldName = "sec-websocket-version"
}
