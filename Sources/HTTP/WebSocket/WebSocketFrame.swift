/// The kind of a frame of the WebSocket protocol (RFC 6455, 5.2).
public enum WebSocketOpcode: UInt8, Hashable, Sendable {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  /// Whether it is a control frame. Control frames are short, never fragmented, and may come
  /// between the fragments of a message.
  var isControl: Bool { rawValue >= 8 }
}

/// The end of a connection that sends a frame. A client masks its frames, and a server never does.
public enum WebSocketRole: Hashable, Sendable {
  case client
  case server
}

/// The bytes before the payload of a frame.
struct WebSocketFrameHeader: Hashable, Sendable {
  var opcode: WebSocketOpcode
  /// Whether the message ends with this frame.
  var isFinal: Bool
  /// The length of the payload, in bytes.
  var length: Int
  var mask: WebSocketMask?

  /// The longest payload of a control frame.
  static let largestControl = 125

  /// The value of the second byte if the length follows it in two or eight bytes.
  private static let shortLength: UInt8 = 126
  private static let longLength: UInt8 = 127
  private static let finalBit: UInt8 = 0x80
  private static let reservedBits: UInt8 = 0x70
  private static let maskBit: UInt8 = 0x80

  init(_ opcode: WebSocketOpcode, isFinal: Bool = true, length: Int, mask: WebSocketMask?) {
    self.opcode = opcode
    self.isFinal = isFinal
    self.length = length
    self.mask = mask
  }

  /// Reads a header from the start of `bytes`; nil until all of it has arrived.
  ///
  /// - Returns: The header, and its number of bytes.
  static func read(
    _ bytes: Span<UInt8>, from sender: WebSocketRole
  ) throws(WebSocketError) -> (header: WebSocketFrameHeader, count: Int)? {
    guard bytes.count >= 2 else { return nil }
    guard bytes[0] & reservedBits == 0 else { throw .reservedBits }
    guard let opcode = WebSocketOpcode(rawValue: bytes[0] & 0x0F) else { throw .reservedOpcode }
    let isFinal = bytes[0] & finalBit != 0
    let isMasked = bytes[1] & maskBit != 0
    guard isMasked == (sender == .client) else { throw isMasked ? .masked : .unmasked }
    let short = bytes[1] & ~maskBit
    if opcode.isControl {
      guard isFinal else { throw .fragmentedControl }
      guard short <= largestControl else { throw .controlTooLarge }
    }
    var count = 2
    var length = Int(short)
    if short >= shortLength {
      let width = short == shortLength ? 2 : 8
      count += width
      guard bytes.count >= count else { return nil }
      length = try readLength(bytes.extracting(2..<count))
    }
    guard isMasked else {
      return (WebSocketFrameHeader(opcode, isFinal: isFinal, length: length, mask: nil), count)
    }
    guard bytes.count >= count + 4 else { return nil }
    let mask = WebSocketMask(
      bytes[count], bytes[count + 1], bytes[count + 2], bytes[count + 3])
    return (
      WebSocketFrameHeader(opcode, isFinal: isFinal, length: length, mask: mask), count + 4
    )
  }

  /// Reads a length of two or eight bytes, which must be its shortest form.
  private static func readLength(_ bytes: Span<UInt8>) throws(WebSocketError) -> Int {
    var length: UInt64 = 0
    for index in bytes.indices { length = length << 8 | UInt64(bytes[index]) }
    let least = bytes.count == 2 ? UInt64(shortLength) : UInt64(UInt16.max) + 1
    guard length >= least, let length = Int(exactly: length) else { throw .invalidLength }
    return length
  }

  func append(to output: inout [UInt8]) {
    let masked = mask == nil ? 0 : Self.maskBit
    output.append((isFinal ? Self.finalBit : 0) | opcode.rawValue)
    if length < Int(Self.shortLength) {
      output.append(masked | UInt8(length))
    } else {
      let width = length <= UInt16.max ? 2 : 8
      output.append(masked | (width == 2 ? Self.shortLength : Self.longLength))
      for index in (0..<width).reversed() {
        output.append(UInt8(truncatingIfNeeded: length >> (8 * index)))
      }
    }
    mask?.append(to: &output)
  }
}

/// Four bytes that are combined with a client's payload, so that no client can make a connection
/// carry bytes of its choice.
public struct WebSocketMask: Hashable, Sendable {
  private let bytes: SIMD4<UInt8>

  init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
    bytes = SIMD4(first, second, third, fourth)
  }

  /// Creates an unpredictable mask, if the generator's numbers are unpredictable.
  public init(using generator: inout some RandomNumberGenerator) {
    let number = generator.next(upperBound: UInt64(1) << 32)
    bytes = SIMD4((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) })
  }

  func append(to output: inout [UInt8]) {
    for index in 0..<4 { output.append(bytes[index]) }
  }

  /// Appends `payload`, masked or unmasked, to `output`.
  ///
  /// - Parameter offset: The number of the frame's payload bytes before `payload`.
  func append(_ payload: Span<UInt8>, at offset: Int = 0, to output: inout [UInt8]) {
    output.reserveCapacity(output.count + payload.count)
    for index in payload.indices {
      output.append(payload[index] ^ bytes[(offset + index) & 3])
    }
  }
}
