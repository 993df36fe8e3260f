/// One file's path and bytes, which together turn the parser's marks into positions.
struct SourceText {
  let path: String
  let bytes: [UInt8]

  /// Where the text begins: behind the byte order mark that some editors write before UTF-8.
  var start: Int { bytes.starts(with: SourceText.byteOrderMark) ? 3 : 0 }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Where `mark` lies, its column counted in bytes.
  ///
  /// libyaml counts columns in characters. The conversion walks the file from its start, and is
  /// done for mistakes alone.
  func position(of mark: YAMLMark) -> SourcePosition {
    let lineStart = startOfLine(Int(mark.line))
    var offset = mark.line == 0 ? start : lineStart
    for _ in 0..<mark.column where offset < bytes.count {
      offset += 1
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
    }
    return SourcePosition(file: path, line: Int(mark.line) + 1, column: offset - lineStart + 1)
  }

  /// Where the byte at `offset` lies.
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

  /// The offset behind the next line break, or nil when there is none.
  ///
  /// A break is what libyaml takes for one: CR LF, CR, LF, and Unicode's NEL, LS and PS.
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
