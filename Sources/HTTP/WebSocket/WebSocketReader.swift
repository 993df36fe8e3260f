/// What has come over a WebSocket.
public enum WebSocketEvent: Hashable, Sendable {
  /// A whole message, of one frame or several. Its payload is the reader's `message`, until the
  /// next event is asked for.
  case message(WebSocketMessageKind)
  case ping([UInt8])
  case pong([UInt8])
  /// Nothing may come after it.
  case close(WebSocketClose)
}

public enum WebSocketMessageKind: Hashable, Sendable {
  /// UTF-8, checked.
  case text
  case binary
}

/// Puts the messages of one direction of a WebSocket together, however its bytes are cut.
///
/// ```swift
/// reader.receive(chunk)
/// while let event = try reader.next() { … reader.message … }
/// ```
public struct WebSocketReader: Sendable {
  /// The largest message, in bytes, unless another limit is given: 16 MiB.
  public static let largestMessage = 16 << 20

  /// The payload of the message that `next` has given, unmasked; then that of the next one as far
  /// as it has come.
  public private(set) var message: [UInt8] = []

  private let sender: WebSocketRole
  private let limit: Int
  private var input = WebSocketInput()
  /// The frame that is being read, and how much of its payload was taken.
  private var frame: (header: WebSocketFrameHeader, taken: Int)?
  /// The kind of the message that has begun.
  private var kind: WebSocketMessageKind?
  /// `message` has been given out.
  private var isDelivered = false

  /// - Parameters:
  ///   - sender: whose frames these are.
  ///   - largestMessage: in bytes, all its fragments together.
  public init(from sender: WebSocketRole, largestMessage: Int = WebSocketReader.largestMessage) {
    self.sender = sender
    limit = largestMessage
  }

  /// Whether a message has begun and isn't whole.
  public var isWithinMessage: Bool { kind != nil || frame != nil }

  public mutating func receive(_ chunk: Span<UInt8>) {
    input.append(chunk)
  }

  /// The next event, or nil until more is received. When it throws, nothing can follow.
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

/// Bytes that have come and aren't read yet.
private struct WebSocketInput {
  private var bytes: [UInt8] = []
  private var start = 0

  var count: Int { bytes.count - start }

  mutating func append(_ chunk: Span<UInt8>) {
    if start > 0 {
      // What stays is part of a header or of a control frame: payloads are taken as they come.
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

  /// Moves payload of a frame, unmasked, to the end of `payload`.
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
  /// A buffer that grew beyond this is given back once it is empty.
  private static let keptCapacity = 64 << 10

  fileprivate mutating func clear() {
    if capacity > [UInt8].keptCapacity { self = [] } else { removeAll(keepingCapacity: true) }
  }
}
