/// Writes the frames of one direction of a WebSocket. Each message is one frame.
public struct WebSocketWriter: Sendable {
  private let sender: WebSocketRole
  private var random = SystemRandomNumberGenerator()

  public init(as sender: WebSocketRole) {
    self.sender = sender
  }

  public mutating func append(
    _ kind: WebSocketMessageKind, _ payload: Span<UInt8>, to output: inout [UInt8]
  ) {
    let opcode: WebSocketOpcode = kind == .text ? .text : .binary
    append(opcode, payload, to: &output)
  }

  /// Appends a ping, pong or close.
  public mutating func append(_ event: WebSocketControl, to output: inout [UInt8]) {
    switch event {
    case .ping(let payload): append(.ping, payload.span, to: &output)
    case .pong(let payload): append(.pong, payload.span, to: &output)
    case .close(let close): append(.close, close.payload.span, to: &output)
    }
  }

  private mutating func append(
    _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, to output: inout [UInt8]
  ) {
    precondition(
      !opcode.isControl || payload.count <= WebSocketFrameHeader.largestControl,
      "a control frame is short")
    let mask = sender == .client ? WebSocketMask(using: &random) : nil
    WebSocketFrameHeader(opcode, length: payload.count, mask: mask).append(to: &output)
    if let mask { mask.append(payload, to: &output) } else { output.append(payload) }
  }
}

/// A frame between messages. Payloads of pings and pongs have at most 125 bytes.
public enum WebSocketControl: Hashable, Sendable {
  case ping([UInt8])
  case pong([UInt8])
  case close(WebSocketClose)
}
