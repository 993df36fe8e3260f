/// Looks for strings and keys by how they begin, in one pass that builds nothing.
///
/// It is for telling quickly that a text has none of them: capitals and lower case are the same to
/// it, and it may find a few strings too many.
public struct JSONStringSearch: Sendable {
  /// A beginning that is looked for.
  fileprivate struct Beginning {
    /// Its first eight bytes, with `caseBits` set; zeros where it is shorter.
    let word: UInt64
    /// The bytes of `word` that are compared.
    let mask: UInt64
    /// All its bytes, with the bit of the case set in each.
    let bytes: [UInt8]
  }

  /// By their first bytes.
  fileprivate let beginnings: [Beginning]
  /// For each first byte, where its beginnings start in `beginnings`; one more for the end.
  private let starts: [Int]

  /// What makes a capital a small letter. Other bytes may become each other's: too much is found.
  fileprivate static let caseBit: UInt8 = 0x20
  private static let caseBits: UInt64 = 0x2020_2020_2020_2020

  /// - Parameter beginnings: what is looked for; an empty one is never found.
  public init(_ beginnings: [String]) {
    let sorted = beginnings.map { $0.utf8.map { $0 | Self.caseBit } }.filter { !$0.isEmpty }
      .sorted { $0[0] < $1[0] }
    self.beginnings = sorted.map { bytes in
      var (word, mask): (UInt64, UInt64) = (0, 0)
      for (index, byte) in bytes.prefix(8).enumerated() {
        word |= UInt64(byte) << UInt64(8 * index)
        mask |= 0xFF << UInt64(8 * index)
      }
      return Beginning(word: word, mask: mask, bytes: bytes)
    }
    starts = (0...256).map { first in sorted.count { Int($0[0]) < first } }
  }

  /// Whether a string begins with one of them.
  ///
  /// - Parameters:
  ///   - word: its first eight bytes, the first one lowest, whatever follows it if it is shorter.
  @inline(__always)
  fileprivate func find(word: UInt64, in string: UnsafeBufferPointer<UInt8>) -> Bool {
    let word = word | Self.caseBits
    let first = Int(word & 0xFF)
    for index in starts[first]..<starts[first + 1]
    where beginnings[index].word == word & beginnings[index].mask {
      if unsafe beginnings[index].isBeginning(of: string) { return true }
    }
    return false
  }
}

extension JSONStringSearch.Beginning {
  fileprivate func isBeginning(of string: UnsafeBufferPointer<UInt8>) -> Bool {
    guard string.count >= bytes.count else { return false }
    return bytes.indices.allSatisfy { unsafe string[$0] | JSONStringSearch.caseBit == bytes[$0] }
  }
}

extension JSONValue {
  /// Whether this value, or anything in it, is a string or has a key that begins so.
  public func contains(_ search: JSONStringSearch) -> Bool {
    requireCurrent()
    var position = index
    let end = parser.index(after: index)
    while position < end {
      switch parser.type(at: position) {
      case JSONTape.string:
        let string = unsafe parser.utf8(at: position)
        if unsafe search.find(word: parser.firstBytes(at: position), in: string) { return true }
        position += 1
      case JSONTape.integer, JSONTape.unsigned, JSONTape.real: position += 2
      default: position += 1
      }
    }
    return false
  }
}
