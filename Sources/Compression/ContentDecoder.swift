/// Decodes one body, piece by piece.
///
/// A small body may expand to a huge one. A piece is therefore decoded in parts of `partBytes`. The
/// whole body is limited by a number of bytes, and by its ratio to the received bytes.
///
/// ```swift
/// var position = 0
/// while try decoder.decode(piece, from: &position, into: &part) { … }
/// ```
public struct ContentDecoder: ~Copyable {
  /// The largest ratio of decoded to received bytes. The ratio of text is seldom above 20.
  public static let largestRatio = 100
  /// The decoded bytes that any body may have, whatever its ratio.
  public static let freeBytes = 4 << 20
  /// The approximate number of bytes that one call of `decode` appends.
  public static let partBytes = 256 << 10
  /// The stack buffer for one call of a library.
  private static let stepBytes = 32 << 10

  /// Not private, because optimized code of other modules destroys a decoder and must find this
  /// type.
  enum Engine: ~Copyable {
    case inflate(InflateStream)
    case brotli(BrotliStream)
    case zstd(ZstdStream)
  }

  public let coding: ContentCoding
  private let limit: Int
  /// The engine; nil before the first byte, because `deflate` has two formats.
  private var engine: Engine?
  private var received = 0
  private var decoded = 0
  private var hasEnded = false
  private var isMalformed = false

  /// - Parameter limit: The most bytes of the decoded body.
  public init(_ coding: ContentCoding, atMost limit: Int = .max) {
    self.coding = coding
    self.limit = limit
  }

  /// Whether the body may end here: no bytes were received, or the coded data has ended.
  public var isComplete: Bool { received == 0 || hasEnded }

  /// Decodes `bytes` from `position` on, appends about `partBytes` bytes at most to `output`, and
  /// moves `position` after the consumed bytes.
  ///
  /// - Returns: Whether to call it again for the same bytes.
  /// - Throws: `malformed`, `tooLarge` or `tooDense`. Content before the error was appended.
  public mutating func decode(
    _ bytes: [UInt8], from position: inout Int, into output: inout [UInt8]
  ) throws(DecodingError) -> Bool {
    guard !isMalformed else { throw .malformed }
    let start = output.count
    while true {
      if hasEnded || engine == nil {
        guard position < bytes.count else { return false }
        try begin(with: bytes[position])
      }
      let step = step(bytes, from: position, into: &output)
      position += step.consumed
      received += step.consumed
      decoded += step.produced
      if step.state == .malformed {
        isMalformed = true
        throw .malformed
      }
      guard decoded <= limit else { throw .tooLarge(limit: limit) }
      guard decoded <= ContentDecoder.freeBytes + ContentDecoder.largestRatio * received else {
        throw .tooDense
      }
      hasEnded = step.state == .ended
      let hasRoomLeft = step.produced < ContentDecoder.stepBytes
      if !hasEnded && hasRoomLeft {
        if position == bytes.count { return false }
        // No library consumes and produces nothing while it can continue.
        if step.consumed == 0 && step.produced == 0 {
          isMalformed = true
          throw .malformed
        }
      }
      if output.count - start >= ContentDecoder.partBytes { return true }
    }
  }

  /// Prepares for the data that begins with `byte`: the body, or a further member of it.
  private mutating func begin(with byte: UInt8) throws(DecodingError) {
    if coding == .zstd, !ZstdStream.beginsFrame(byte) {
      isMalformed = true
      throw .malformed
    }
    guard hasEnded else {
      engine =
        switch coding {
        case .gzip: .inflate(InflateStream(.gzip))
        case .deflate: .inflate(InflateStream(InflateStream.Format(deflateBeginning: byte)))
        case .brotli: .brotli(BrotliStream())
        case .zstd: .zstd(ZstdStream())
        }
      return
    }
    hasEnded = false
    switch engine {
    case .inflate(let stream)? where coding == .gzip: stream.reset()
    // zstd's next frame.
    case .zstd?: break
    default:
      isMalformed = true
      throw .malformed
    }
  }

  private func step(
    _ bytes: [UInt8], from position: Int, into output: inout [UInt8]
  ) -> DecodingStep {
    unsafe bytes.withUnsafeBytes { bytes in
      let input = unsafe UnsafeRawBufferPointer(rebasing: bytes[position...])
      return unsafe withUnsafeTemporaryAllocation(
        byteCount: ContentDecoder.stepBytes, alignment: 1
      ) { room in
        let step = unsafe step(input, into: room)
        unsafe output.append(contentsOf: room[..<step.produced])
        return step
      }
    }
  }

  private func step(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecodingStep {
    switch engine {
    case .inflate(let stream)?: unsafe stream.step(input, into: output)
    case .brotli(let stream)?: unsafe stream.step(input, into: output)
    case .zstd(let stream)?: unsafe stream.step(input, into: output)
    case nil: DecodingStep(consumed: 0, produced: 0, state: .malformed)
    }
  }
}

extension ContentDecoder {
  /// Decodes a whole body.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of the decoded body.
  ///   - makeRoom: Called with the size, in bytes, that the result takes from then on.
  /// - Throws: A `DecodingError`, or an error of `makeRoom`.
  public static func decode(
    _ body: [UInt8], as coding: ContentCoding, atMost limit: Int,
    makeRoom: (Int) throws -> Void = { _ in }
  ) throws -> [UInt8] {
    var decoder = ContentDecoder(coding, atMost: limit)
    var (position, decoded) = (0, [UInt8]())
    repeat {
      let needed = decoded.count + partBytes + stepBytes
      if needed > decoded.capacity {
        let room = max(needed, 2 * decoded.capacity)
        try makeRoom(room)
        decoded.reserveCapacity(room)
      }
    } while try decoder.decode(body, from: &position, into: &decoded)
    guard decoder.isComplete else { throw DecodingError.truncated }
    return decoded
  }
}

/// The result of one library call.
struct DecodingStep {
  enum State {
    case running
    /// The coded data has ended here, and all of it was written.
    case ended
    case malformed
  }

  /// The number of input bytes that were consumed.
  let consumed: Int
  /// The number of output bytes that were written.
  let produced: Int
  let state: State
}
