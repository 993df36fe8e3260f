/// An event received over a WebSocket.
public enum WebSocketEvent: Hashable, Sendable {
  /// A whole message, of one or several frames. Its payload is the reader's `message` until the
  /// next call of `next`.
  case message(WebSocketMessageKind)
  case ping([UInt8])
  case pong([UInt8])
  /// The peer closes the WebSocket. Nothing may come after it.
  case close(WebSocketClose)
}

public enum WebSocketMessageKind: Hashable, Sendable {
  /// A text, checked to be UTF-8.
  case text
  case binary
}

/// Assembles the messages of one direction of a WebSocket, however its bytes are split.
///
/// ```swift
/// reader.receive(chunk)
/// while let event = try reader.next() { … reader.message … }
/// ```
public struct WebSocketReader: Sendable {
  /// The default of the largest message, in bytes: 16 MiB.
  public static let largestMessage = 16 << 20

  /// The unmasked payload of the message that `next` has returned; afterwards, the received part of
  /// the next message.
  public private(set) var message: [UInt8] = []

  private let sender: WebSocketRole
  private let limit: Int
  private var input = WebSocketInput()
  /// The frame that is being read, and the number of its payload bytes that were taken.
  private var frame: (header: WebSocketFrameHeader, taken: Int)?
  /// The kind of the message that has begun.
  private var kind: WebSocketMessageKind?
  /// Whether `message` was returned.
  private var isDelivered = false

  /// - Parameters:
  ///   - sender: The end that sends these frames.
  ///   - largestMessage: The most bytes of a message, including all its fragments.
  public init(from sender: WebSocketRole, largestMessage: Int = WebSocketReader.largestMessage) {
    self.sender = sender
    limit = largestMessage
  }

  /// Whether a message has begun and isn't complete.
  public var isWithinMessage: Bool { kind != nil || frame != nil }

  public mutating func receive(_ chunk: Span<UInt8>) {
    input.append(chunk)
  }

  /// Returns the next event; nil until more is received.
  /// - Throws: `WebSocketError`. Nothing can follow then.
  public mutating func next() throws(WebSocketError) -> WebSocketEvent? {
    if isDelivered {
      isDelivered = false
      message.clear()
    }
    while true {
      if frame == nil {
        guard let header = try input.takeHeader(from: sender) else { return nil }
        try begin(header)
      }
      guard let (header, taken) = frame else { return nil }
      if header.opcode.isControl {
        guard input.count >= header.length else { return nil }
        return try takeControl(header)
      }
      let count = min(header.length - taken, input.count)
      input.take(count, of: header, at: taken, into: &message)
      frame = (header, taken + count)
      guard taken + count == header.length else { return nil }
      frame = nil
      if header.isFinal { return try endMessage() }
    }
  }

  private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketError) {
    switch header.opcode {
    case .continuation:
      guard kind != nil else { throw .unexpectedContinuation }
    case .text, .binary:
      guard kind == nil else { throw .interruptedMessage }
      kind = header.opcode == .text ? .text : .binary
    case .close, .ping, .pong: break
    }
    if !header.opcode.isControl {
      guard header.length <= limit - message.count else { throw .messageTooLarge(limit: limit) }
    }
    frame = (header, 0)
  }

  private mutating func takeControl(
    _ header: WebSocketFrameHeader
  ) throws(WebSocketError) -> WebSocketEvent {
    var payload: [UInt8] = []
    input.take(header.length, of: header, at: 0, into: &payload)
    frame = nil
    switch header.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong(payload)
    default: return .close(try WebSocketClose(payload: payload))
    }
  }

  private mutating func endMessage() throws(WebSocketError) -> WebSocketEvent? {
    guard let kind else { return nil }
    if kind == .text {
      do { _ = try UTF8Span(validating: message.span) } catch { throw .invalidUTF8 }
    }
    self.kind = nil
    isDelivered = true
    return .message(kind)
  }
}

/// Received bytes that haven't been read yet.
private struct WebSocketInput {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }

  mutating func append(_ chunk: Span<UInt8>) {
    if start > 0 {
      // The remaining bytes are part of a header or of a control frame, because payloads are taken
      // as they arrive.
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(chunk)
  }

  mutating func takeHeader(
    from sender: WebSocketRole
  ) throws(WebSocketError) -> WebSocketFrameHeader? {
    let read = try WebSocketFrameHeader.read(
      bytes.span.extracting(droppingFirst: start), from: sender)
    guard let (header, count) = read else { return nil }
    consume(count)
    return header
  }

  /// Moves payload bytes of a frame, unmasked, to the end of `payload`.
  mutating func take(
    _ count: Int, of header: WebSocketFrameHeader, at offset: Int, into payload: inout [UInt8]
  ) {
    let part = start..<(start + count)
    if let mask = header.mask {
      mask.append(bytes.span.extracting(part), at: offset, to: &payload)
    } else {
      payload.append(bytes.span.extracting(part))
    }
    consume(count)
  }

  private mutating func consume(_ count: Int) {
    start += count
    guard start == bytes.count else { return }
    start = 0
    bytes.clear()
  }
}

extension [UInt8] {
  /// A buffer with more capacity than this releases it when it is empty.
  private static let keptCapacity = 64 << 10

  fileprivate mutating func clear() {
    if capacity > [UInt8].keptCapacity { self = [] } else { removeAll(keepingCapacity: true) }
  }
}
