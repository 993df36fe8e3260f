internal import Glibc

extension String {
  /// Creates text from bytes. Bytes that aren't UTF-8 become U+FFFD.
  init(_ bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension [UInt8] {
  mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }
}

extension OutputSpan where Element == UInt8 {
  /// Appends bytes, for which there must be room.
  mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe withUnsafeMutableBufferPointer { room, count in
        let end = count + bytes.count
        precondition(end <= room.count, "no room for the bytes")
        _ = unsafe UnsafeMutableBufferPointer(rebasing: room[count..<end])
          .update(fromContentsOf: bytes)
        count = end
      }
    }
  }

  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append($0.span) }
  }
}

extension Span where Element == UInt8 {
  /// Whether these are the bytes of `lowercase` in any case. `lowercase` must have no capital
  /// letters.
  func equalsIgnoringCase(_ lowercase: Span<UInt8>) -> Bool {
    guard count == lowercase.count else { return false }
    for index in indices where self[index].lowercasedASCII != lowercase[index] {
      return false
    }
    return true
  }

  /// Whether these are the bytes of `text`, ignoring ASCII case.
  func equalsIgnoringCase(_ text: String) -> Bool {
    guard count == text.utf8.count else { return false }
    var index = 0
    for byte in text.utf8 {
      guard self[index].lowercasedASCII == byte.lowercasedASCII else { return false }
      index += 1
    }
    return true
  }

  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    for index in range where self[index] == byte {
      return index
    }
    return nil
  }

  /// Returns the index of the first `byte` in `range`. It uses the C library, which compares many
  /// bytes at once.
  func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
    unsafe extracting(range).withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress,
        let found = unsafe memchr(start, CInt(byte), bytes.count)
      else { return nil }
      return range.lowerBound + (unsafe UnsafeRawPointer(found) - start)
    }
  }

  /// Returns `range` without the spaces and tabs at its ends.
  func trimmingWhitespace(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, self[start].isOptionalWhitespace { start += 1 }
    while start < end, self[end - 1].isOptionalWhitespace { end -= 1 }
    return start..<end
  }
}
