import Compression

/// Coded bodies. The first line of an input is the name of the coding.
enum CodedBodies {
  private struct Reading: Equatable {
    var text: [UInt8] = []
    var isComplete = false
    var error: DecodingError?
  }

  static func check(_ input: [UInt8]) {
    let (name, body) = headed(input)
    guard let coding = ContentCoding(name: name) else { return }
    let reading = read(body, coding, pieceSize: max(1, body.count))
    require(
      reading.text.count
        <= ContentDecoder.freeBytes + ContentDecoder.largestRatio * body.count
        + ContentDecoder.partBytes,
      "a body is bounded by what it came in")
    let cut = read(body, coding, pieceSize: 1)
    // A body may be too dense for what has come of it, and not for all of it.
    guard reading.error == nil else { return }
    require(cut == reading || cut.error == .tooDense, "a body doesn't depend on how it is cut")
  }

  private static func read(
    _ body: [UInt8], _ coding: ContentCoding, pieceSize: Int
  ) -> Reading {
    var reading = Reading()
    var decoder = ContentDecoder(coding)
    var start = 0
    do throws(DecodingError) {
      while start < body.count {
        let piece = Array(body[start..<min(start + pieceSize, body.count)])
        var position = 0
        var hasMore = true
        while hasMore {
          let before = reading.text.count
          hasMore = try decoder.decode(piece, from: &position, into: &reading.text)
          require(
            reading.text.count - before <= 2 * ContentDecoder.partBytes, "a part is bounded")
        }
        require(position == piece.count, "all that came is taken")
        start += piece.count
      }
      reading.isComplete = decoder.isComplete
    } catch {
      reading.error = error
    }
    return reading
  }
}
