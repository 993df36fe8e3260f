/// Reads a body in chunks (RFC 9112 7.1), however its bytes are split.
///
/// Extensions and trailers are checked and dropped. Each byte is consumed at once, so the caller
/// passes nothing twice, and the output never grows by more than the input. As everywhere in this
/// module, lines end only in CRLF, and there is no space after a chunk's size.
public struct ChunkedDecoder: Sendable {
  /// The most bytes of extensions in the whole body.
  public static let maximumExtensionBytes = 16 << 10
  /// The most bytes of trailers, including line ends.
  public static let maximumTrailerBytes = 16 << 10
  /// The most digits of a size, including leading zeros.
  public static let maximumSizeDigits = 16

  private enum State {
    case size(digits: Int)
    case sizeExtension
    case sizeLineFeed
    case data
    case dataCarriageReturn
    case dataLineFeed
    case trailerStart
    case trailerName
    case trailerValue
    case trailerLineFeed
    case finalLineFeed
    case finished
    case failed(HTTPError)
  }

  private var state = State.size(digits: 0)
  /// The size while it is read, and then the rest of the chunk.
  private var remaining: Int64 = 0
  private var extensionBytes = 0
  private var trailerBytes = 0

  public init() {}

  /// Whether the last byte of the body, including trailers, was consumed.
  public var isFinished: Bool {
    if case .finished = state { true } else { false }
  }

  /// Appends the content in `input` to `output`. Returns the number of bytes of `input` that belong
  /// to the body: all of them until the body is finished, then none.
  ///
  /// - Throws: `HTTPError.invalidChunkSize`, `invalidChunkEnd`, `invalidChunkExtension`,
  ///   `chunkExtensionsTooLong`, `invalidTrailer` or `trailersTooLarge`, and the same error in
  ///   every later call. Content before the error is in `output`.
  public mutating func decode(
    _ input: Span<UInt8>, into output: inout [UInt8]
  ) throws(HTTPError) -> Int {
    var position = 0
    while position < input.count, !isFinished {
      if case .data = state {
        let length = Int(min(remaining, Int64(input.count - position)))
        output.append(input.extracting(position..<position + length))
        position += length
        remaining -= Int64(length)
        if remaining == 0 { state = .dataCarriageReturn }
        continue
      }
      do throws(HTTPError) {
        state = try next(after: input[position])
      } catch {
        state = .failed(error)
        throw error
      }
      position += 1
    }
    return position
  }

  /// Returns the state after a byte outside the content.
  private mutating func next(after byte: UInt8) throws(HTTPError) -> State {
    switch (state, byte) {
    case (.size(let digits), _):
      return try nextInSize(byte, digits: digits)
    case (.sizeExtension, ASCII.carriageReturn):
      return .sizeLineFeed
    case (.sizeExtension, _):
      guard !ControlBytes.isControl(byte) else { throw .invalidChunkExtension }
      extensionBytes += 1
      guard extensionBytes <= Self.maximumExtensionBytes else { throw .chunkExtensionsTooLong }
      return .sizeExtension
    case (.sizeLineFeed, ASCII.lineFeed):
      return remaining == 0 ? .trailerStart : .data
    case (.sizeLineFeed, _):
      throw .invalidChunkSize
    case (.dataCarriageReturn, ASCII.carriageReturn):
      return .dataLineFeed
    case (.dataLineFeed, ASCII.lineFeed):
      return .size(digits: 0)
    case (.dataCarriageReturn, _), (.dataLineFeed, _):
      throw .invalidChunkEnd
    case (.data, _), (.finished, _):
      preconditionFailure("content is copied and what follows the body isn't read")
    case (.failed(let error), _):
      throw error
    default:
      return try nextInTrailers(byte)
    }
  }

  private mutating func nextInSize(_ byte: UInt8, digits: Int) throws(HTTPError) -> State {
    if let digit = byte.hexadecimalDigit {
      guard digits < Self.maximumSizeDigits, remaining <= Int64.max >> 4 else {
        throw .invalidChunkSize
      }
      remaining = remaining << 4 | Int64(digit)
      return .size(digits: digits + 1)
    }
    guard digits > 0 else { throw .invalidChunkSize }
    switch byte {
    case ASCII.carriageReturn: return .sizeLineFeed
    case ASCII.semicolon: return .sizeExtension
    default: throw .invalidChunkSize
    }
  }

  private mutating func nextInTrailers(_ byte: UInt8) throws(HTTPError) -> State {
    trailerBytes += 1
    guard trailerBytes <= Self.maximumTrailerBytes else { throw .trailersTooLarge }
    switch (state, byte) {
    case (.trailerStart, ASCII.carriageReturn):
      return .finalLineFeed
    case (.trailerName, ASCII.colon):
      return .trailerValue
    case (.trailerStart, _), (.trailerName, _):
      guard ByteSet.token.contains(byte) else { throw .invalidTrailer }
      return .trailerName
    case (.trailerValue, ASCII.carriageReturn):
      return .trailerLineFeed
    case (.trailerValue, _):
      guard !ControlBytes.isControl(byte) else { throw .invalidTrailer }
      return .trailerValue
    case (.trailerLineFeed, ASCII.lineFeed):
      return .trailerStart
    case (.finalLineFeed, ASCII.lineFeed):
      return .finished
    default:
      throw .invalidTrailer
    }
  }
}

/// Writes a body in chunks (RFC 9112 7.1), without extensions and trailers.
public enum ChunkedEncoder {
  /// The end of a chunk's content.
  public static let chunkEnd: StaticString = "\r\n"

  /// The end of the body, after its last chunk.
  public static let bodyEnd: StaticString = "0\r\n\r\n"

  /// The end of the last chunk's content, followed by the end of the body.
  public static let lastChunkEnd: StaticString = "\r\n0\r\n\r\n"

  /// Appends the line before `contentBytes` (> 0) bytes of content, after which `chunkEnd` must
  /// follow.
  public static func appendHeader(contentBytes: Int, to output: inout [UInt8]) {
    precondition(contentBytes > 0, "an empty chunk would end the body")
    var shift = (Int.bitWidth - contentBytes.leadingZeroBitCount - 1) / 4 * 4
    while shift >= 0 {
      let digit = UInt8(contentBytes >> shift & 0xF)
      output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      shift -= 4
    }
    output.append(chunkEnd)
  }
}
