/// Looks for strings and keys by their first bytes, in one pass that builds nothing.
///
/// It tells quickly that a text has none of them. It doesn't tell capitals from lower case, and it
/// may find a few strings too many.
public struct JSONStringSearch: Sendable {
  /// The groups of beginnings that were found, one bit for each.
  public typealias Groups = UInt8

  /// A sequence of first bytes to look for.
  private struct Beginning {
    /// Its first eight bytes, with the bit of the case set in each; zeros where it is shorter.
    let word: UInt64
    /// The bytes of `word` that are compared.
    let mask: UInt64
    /// All its bytes, each with the case bit set.
    let bytes: [UInt8]
    /// The bit of its group.
    let bit: Groups

    init(_ text: String, bit: Groups) {
      bytes = text.utf8.map { $0 | JSONStringSearch.caseBit }
      self.bit = bit
      var (word, mask): (UInt64, UInt64) = (0, 0)
      for (index, byte) in bytes.prefix(8).enumerated() {
        word |= UInt64(byte) << UInt64(8 * index)
        mask |= 0xFF << UInt64(8 * index)
      }
      (self.word, self.mask) = (word, mask)
    }
  }

  /// Ordered by their first bytes.
  private let beginnings: [Beginning]
  /// For each first byte, the index in `beginnings` at which its beginnings start; one more for the
  /// end.
  private let starts: [Int]
  /// One bit for the first three bytes of each beginning: see `place`. Most strings are passed over
  /// because their bit isn't set.
  private var filter = [UInt64](repeating: 0, count: 1 << (Self.filterBits - 6))

  /// The bit that makes a capital a small letter. It can also make two other bytes equal, so the
  /// search may find too much.
  private static let caseBit: UInt8 = 0x20
  private static let caseBits: UInt64 = 0x2020_2020_2020_2020
  private static let filterBits = 15

  /// - Parameter groups: up to eight groups of texts to look for, each text of at least two bytes.
  ///   The first group has the lowest bit.
  public init(groups: [[String]]) {
    var sorted: [Beginning] = []
    for (index, group) in groups.enumerated() {
      for text in group where text.utf8.count >= 2 {
        sorted.append(Beginning(text, bit: 1 << index))
      }
    }
    sorted.sort { $0.bytes[0] < $1.bytes[0] }
    starts = (0...256).map { first in sorted.count { Int($0.bytes[0]) < first } }
    beginnings = sorted
    for beginning in sorted {
      let bytes = beginning.bytes
      // After a beginning of two bytes any third byte may follow.
      let thirds = bytes.count > 2 ? bytes[2]...bytes[2] : 0...31
      for third in thirds {
        let place = Self.place(UInt64(bytes[0]) | UInt64(bytes[1]) << 8 | UInt64(third) << 16)
        filter[place >> 6] |= 1 << UInt64(place & 63)
      }
    }
  }

  /// - Parameter beginnings: texts to look for, each of at least two bytes.
  public init(_ beginnings: [String]) {
    self.init(groups: [beginnings])
  }

  /// The filter's bit for the first three bytes of a string, the first byte lowest. It uses the
  /// five low bits of each byte, which are the same for letters of either case.
  @inline(__always)
  private static func place(_ word: UInt64) -> Int {
    Int(word & 0x1F | word >> 3 & 0x3E0 | word >> 6 & 0x7C00)
  }

  /// Whether a string may begin with one of the beginnings.
  ///
  /// - Parameter word: the string's first eight bytes, the first one lowest. After a shorter string
  ///   any bytes follow.
  @inline(__always)
  fileprivate func mayFind(_ word: UInt64) -> Bool {
    let place = Self.place(word)
    return filter[place >> 6] >> UInt64(place & 63) & 1 != 0
  }

  /// The groups of the beginnings that a string has.
  ///
  /// - Parameter word: the string's first eight bytes, as for `mayFind`.
  fileprivate func groups(of string: UnsafeBufferPointer<UInt8>, _ word: UInt64) -> Groups {
    let word = word | Self.caseBits
    let first = Int(word & 0xFF)
    var groups: Groups = 0
    for index in starts[first]..<starts[first + 1]
    where beginnings[index].word == word & beginnings[index].mask {
      let bytes = beginnings[index].bytes
      let isFound =
        string.count >= bytes.count
        && bytes.indices.allSatisfy { unsafe string[$0] | Self.caseBit == bytes[$0] }
      if isFound { groups |= beginnings[index].bit }
    }
    return groups
  }
}

extension JSONValue {
  /// Whether this value, or a value in it, is a string or has a key with one of the beginnings.
  public func contains(_ search: JSONStringSearch) -> Bool {
    contains(search) { _ in true }
  }

  /// Whether the groups found in this value satisfy `isEnough`.
  ///
  /// - Parameter isEnough: gets all groups found so far, each time that a new one is found.
  public func contains(
    _ search: JSONStringSearch, isEnough: (JSONStringSearch.Groups) -> Bool
  ) -> Bool {
    requireCurrent()
    var found: JSONStringSearch.Groups = 0
    var position = index
    let end = parser.index(after: index)
    while position < end {
      switch parser.type(at: position) {
      case JSONTape.string:
        let word = parser.firstBytes(at: position)
        if search.mayFind(word) {
          let all = unsafe found | search.groups(of: parser.utf8(at: position), word)
          if all != found, isEnough(all) { return true }
          found = all
        }
        position += 1
      case JSONTape.integer, JSONTape.unsigned, JSONTape.real: position += 2
      default: position += 1
      }
    }
    return false
  }
}
