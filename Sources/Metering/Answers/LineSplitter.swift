/// Splits a file into lines as it arrives, in bounded memory.
public struct LineSplitter {
  private var rest: [UInt8] = []
  private let longest: Int

  /// A line was longer than the limit.
  public struct TooLong: Error {}

  public init(longest: Int) {
    self.longest = longest
  }

  /// Adds a piece of the file, and returns the lines that it completes, without empty ones.
  /// - Throws: `TooLong` if a line exceeds the limit.
  public mutating func receive(_ piece: [UInt8]) throws(TooLong) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    var start = piece.startIndex
    while let end = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
      try append(piece[start..<end])
      if let line = takeLine() { lines.append(line) }
      start = end + 1
    }
    try append(piece[start...])
    return lines
  }

  /// Returns the last line if no line break ends it; nil if there is none.
  public mutating func finish() -> [UInt8]? {
    takeLine()
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) throws(TooLong) {
    guard rest.count + bytes.count <= longest else { throw TooLong() }
    rest += bytes
  }

  private mutating func takeLine() -> [UInt8]? {
    defer { rest.removeAll() }
    return rest.allSatisfy(LineSplitter.isSpace) ? nil : rest
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
}
