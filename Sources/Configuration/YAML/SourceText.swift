/// One file's path and bytes, which convert the parser's marks into positions.
struct SourceText {
  let path: String
  let bytes: [UInt8]

  /// The start of the text, after the byte order mark that some editors write before UTF-8.
  var start: Int { bytes.starts(with: SourceText.byteOrderMark) ? 3 : 0 }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the position of `mark`, with its column in bytes.
  ///
  /// libyaml counts columns in characters. The conversion reads the file from its start, and is
  /// used only for mistakes.
  func position(of mark: YAMLMark) -> SourcePosition {
    let lineStart = startOfLine(Int(mark.line))
    var offset = mark.line == 0 ? start : lineStart
    for _ in 0..<mark.column where offset < bytes.count {
      offset += 1
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    }
    return SourcePosition(file: path, line: Int(mark.line) + 1, column: offset - lineStart + 1)
  }

  /// Returns the position of the byte at `offset`.
  func position(ofByte offset: Int) -> SourcePosition {
    var line = 0
    var start = 0
    while let next = endOfLine(from: start), next <= offset {
      start = next
      line += 1
    }
    return SourcePosition(file: path, line: line + 1, column: offset - start + 1)
  }

  private func startOfLine(_ line: Int) -> Int {
    var start = 0
    for _ in 0..<line {
      guard let next = endOfLine(from: start) else { return bytes.count }
      start = next
    }
    return start
  }

  /// Returns the offset after the next line break; nil if there is none.
  ///
  /// The breaks are libyaml's: CR LF, CR, LF, and Unicode's NEL, LS and PS.
  private func endOfLine(from start: Int) -> Int? {
    var offset = start
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x0A: return offset + 1
      case 0x0D: return isByte(0x0A, at: offset + 1) ? offset + 2 : offset + 1
      case 0xC2 where isByte(0x85, at: offset + 1): return offset + 2
      case 0xE2 where isByte(0x80, at: offset + 1):
        if isByte(0xA8, at: offset + 2) || isByte(0xA9, at: offset + 2) { return offset + 3 }
        offset += 1
      default: offset += 1
      }
    }
    return nil
  }

  private func isByte(_ byte: UInt8, at offset: Int) -> Bool {
    offset < bytes.count && bytes[offset] == byte
  }
}
