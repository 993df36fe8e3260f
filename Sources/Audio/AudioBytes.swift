/// Reads from the bytes of a file. A position beyond the end gives nil or false, never a trap.
extension Span where Element == UInt8 {
  func byte(at index: Int) -> UInt8? {
    indices.contains(index) ? self[index] : nil
  }

  /// An unsigned number of 1 to 8 bytes, the most significant first; nil beyond the end.
  func bigEndian(at index: Int, count: Int) -> UInt64? {
    guard has(index, count) else { return nil }
    var value: UInt64 = 0
    for offset in 0..<count { value = value << 8 | UInt64(self[index + offset]) }
    return value
  }

  /// An unsigned number of 1 to 8 bytes, the least significant first; nil beyond the end.
  func littleEndian(at index: Int, count: Int) -> UInt64? {
    bigEndian(at: index, count: count).map { $0.byteSwapped >> UInt64(64 - 8 * count) }
  }

  func hasText(_ text: StaticString, at index: Int) -> Bool {
    guard has(index, text.utf8CodeUnitCount) else { return false }
    for offset in 0..<text.utf8CodeUnitCount
    where self[index + offset] != text.utf8Start[offset] {
      return false
    }
    return true
  }

  private func has(_ index: Int, _ count: Int) -> Bool {
    index >= 0 && index <= self.count - count
  }
}
