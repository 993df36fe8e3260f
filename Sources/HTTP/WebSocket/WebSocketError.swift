/// The reason that a WebSocket can't continue.
public enum WebSocketError: Error, Hashable, Sendable {
  /// Bits are set that only extensions use, and no extension was agreed on.
  case reservedBits
  case reservedOpcode
  /// A client must mask its frames, and a server must not.
  case unmasked
  case masked
  case fragmentedControl
  case controlTooLarge
  /// A length that isn't written in its shortest form, or that no payload can have.
  case invalidLength
  /// A continuation without a message that has begun.
  case unexpectedContinuation
  /// A new message before the previous one is complete.
  case interruptedMessage
  /// A close frame with a code or form that isn't allowed.
  case invalidClose
  /// A text, or the reason of a close, that isn't UTF-8.
  case invalidUTF8
  case messageTooLarge(limit: Int)

  /// The close code that the peer gets.
  public var closeCode: WebSocketCloseCode {
    switch self {
    case .invalidUTF8: .invalidData
    case .messageTooLarge: .messageTooBig
    default: .protocolError
    }
  }
}

/// The reason for closing a WebSocket (RFC 6455, 7.4).
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  /// Returns nil for numbers that no close frame may contain.
  public init?(rawValue: UInt16) {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: self.rawValue = rawValue
    default: return nil
    }
  }

  private init(known: UInt16) {
    rawValue = known
  }

  public static let normal = WebSocketCloseCode(known: 1000)
  public static let goingAway = WebSocketCloseCode(known: 1001)
  public static let protocolError = WebSocketCloseCode(known: 1002)
  public static let unsupportedData = WebSocketCloseCode(known: 1003)
  public static let invalidData = WebSocketCloseCode(known: 1007)
  /// The request isn't allowed. In Catraca, the budget doesn't pay for more.
  public static let policyViolation = WebSocketCloseCode(known: 1008)
  public static let messageTooBig = WebSocketCloseCode(known: 1009)
  public static let internalError = WebSocketCloseCode(known: 1011)
  public static let badGateway = WebSocketCloseCode(known: 1014)
}

/// The contents of a close frame.
public struct WebSocketClose: Hashable, Sendable {
  /// The code; nil if the frame has none.
  public var code: WebSocketCloseCode?
  public var reason: String

  /// The longest reason, in bytes of UTF-8.
  public static let longestReason = WebSocketFrameHeader.largestControl - 2

  /// - Parameter reason: The reason, shortened to `longestReason`.
  public init(_ code: WebSocketCloseCode?, reason: String = "") {
    self.code = code
    var reason = code == nil ? "" : reason
    while reason.utf8.count > Self.longestReason { reason.removeLast() }
    self.reason = reason
  }

  init(payload: [UInt8]) throws(WebSocketError) {
    guard !payload.isEmpty else {
      self.init(nil)
      return
    }
    guard payload.count >= 2,
      let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    else { throw .invalidClose }
    guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
      throw .invalidUTF8
    }
    self.init(code, reason: reason)
  }

  var payload: [UInt8] {
    guard let code else { return [] }
    return [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(reason.utf8)
  }
}
