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
