/// A piece of code to look for, such as `try!`, that isn't part of a longer word.
struct Phrase: Sendable {
  private let bytes: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  func occurs(in line: [UInt8]) -> Bool {
    var start = 0
    while start + bytes.count <= line.count {
      if line[start] == bytes[0], stands(at: start, in: line) { return true }
      start += 1
    }
    return false
  }

  private func stands(at start: Int, in line: [UInt8]) -> Bool {
    let end = start + bytes.count
    guard line[start..<end].elementsEqual(bytes) else { return false }
    if start > 0 {
      if line[start - 1] == UInt8(ascii: ".") { return false }
      if Phrase.isOfWord(line[start - 1]), Phrase.isOfWord(bytes[0]) { return false }
    }
    return end == line.count || !Phrase.isOfWord(line[end])
      || !Phrase.isOfWord(bytes[bytes.count - 1])
  }

  static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }
}
