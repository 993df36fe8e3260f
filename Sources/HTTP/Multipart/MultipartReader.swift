/// Splits the bytes of a form into its parts.
struct MultipartReader {
  private let delimiter: ByteSearch

  init(boundary: String) {
    delimiter = ByteSearch(Array("--\(boundary)".utf8))
  }

  mutating func read(_ body: Span<UInt8>) throws(MultipartError) -> [MultipartForm.Part] {
    guard delimiter.first(in: body, from: 0) == 0 else { throw .textOutsideParts }
    var parts: [MultipartForm.Part] = []
    var position = delimiter.length
    while !(try isEnd(body, at: position)) {
      guard parts.count < MultipartForm.mostParts else { throw .tooManyParts }
      let head = position + 2
      guard let next = delimiter.first(in: body, from: head) else { throw .incomplete }
      guard next >= head + 2, body.hasLineBreak(at: next - 2) else { throw .misplacedBoundary }
      parts.append(try readPart(body, head..<next - 2))
      position = next + delimiter.length
    }
    return parts
  }

  /// Whether the delimiter that ends at `position` closes the body; if not, its line ends there.
  private func isEnd(_ body: Span<UInt8>, at position: Int) throws(MultipartError) -> Bool {
    if body.hasLineBreak(at: position) { return false }
    guard position < body.count else { throw .incomplete }
    let hyphen = UInt8(ascii: "-")
    guard position + 1 < body.count, body[position] == hyphen, body[position + 1] == hyphen
    else { throw .misplacedBoundary }
    let rest = position + 2
    guard rest == body.count || rest + 2 == body.count && body.hasLineBreak(at: rest) else {
      throw .textOutsideParts
    }
    return true
  }

  private func readPart(
    _ body: Span<UInt8>, _ range: Range<Int>
  ) throws(MultipartError) -> MultipartForm.Part {
    var disposition: MultipartDisposition?
    var hasType = false
    var start = range.lowerBound
    while true {
      guard let end = try lineEnd(body, from: start, in: range) else {
        throw start - range.lowerBound > MultipartForm.largestPartHead
          ? .partHeadTooLarge : .invalidPartHead
      }
      let line = start..<end
      start = end + 2
      if line.isEmpty { break }
      try readField(body, line, &disposition, &hasType)
    }
    guard let disposition else { throw .invalidDisposition }
    // A part with this name sets the charset of all others (RFC 7578).
    guard disposition.name.lowercased() != "_charset_" else { throw .unsupportedCharset }
    return MultipartForm.Part(
      name: disposition.name, filename: disposition.filename, content: start..<range.upperBound)
  }

  private func readField(
    _ body: Span<UInt8>, _ line: Range<Int>, _ disposition: inout MultipartDisposition?,
    _ hasType: inout Bool
  ) throws(MultipartError) {
    // A line that begins with white space would continue the previous one.
    guard let colon = body.firstIndex(of: ASCII.colon, in: line), colon > line.lowerBound,
      !body[line.lowerBound].isOptionalWhitespace, !body[colon - 1].isOptionalWhitespace
    else { throw .invalidPartHead }
    let name = body.extracting(line.lowerBound..<colon)
    let value = String(body.extracting(body.trimmingWhitespace(colon + 1..<line.upperBound)))
    if name.equalsIgnoringCase("content-disposition") {
      guard disposition == nil, let read = MultipartDisposition(value) else {
        throw .invalidDisposition
      }
      disposition = read
    } else if name.equalsIgnoringCase("content-type") {
      guard !hasType else { throw .invalidPartHead }
      hasType = true
      guard Self.isPlainType(value) else { throw .unsupportedCharset }
    } else if name.equalsIgnoringCase("content-transfer-encoding") {
      throw .unsupportedTransferEncoding
    }
  }

  /// Whether a part of this media type is a single text or file, without a charset other than
  /// UTF-8.
  private static func isPlainType(_ type: String) -> Bool {
    let pieces = type.lowercased().split(separator: ";", omittingEmptySubsequences: false)
    guard let first = pieces.first, !first.trimmingSpaces.hasPrefix("multipart/") else {
      return false
    }
    return pieces.dropFirst().allSatisfy { piece in
      let parameter = piece.trimmingSpaces
      guard parameter.contains("charset") else { return true }
      return parameter.hasPrefix("charset=")
        && MultipartForm.isPlainCharset(parameter.dropFirst("charset=".count))
    }
  }

  /// Returns the position of the CR that ends the line beginning at `start`; nil if there is none.
  /// Throws on a bare CR or LF, and on any other control character except the tab.
  private func lineEnd(
    _ body: Span<UInt8>, from start: Int, in range: Range<Int>
  ) throws(MultipartError) -> Int? {
    let limit = min(range.upperBound, range.lowerBound + MultipartForm.largestPartHead)
    var index = start
    while index < limit {
      let byte = body[index]
      if byte == ASCII.carriageReturn {
        guard index + 1 < range.upperBound, body.hasLineBreak(at: index) else {
          throw .invalidPartHead
        }
        return index
      }
      guard byte >= ASCII.space || byte == ASCII.horizontalTab, byte != 0x7F else {
        throw .invalidPartHead
      }
      index += 1
    }
    if limit < range.upperBound { throw .partHeadTooLarge }
    return nil
  }
}

/// Parses `form-data; name="model"; filename="a.wav"` strictly.
struct MultipartDisposition {
  private(set) var name = ""
  private(set) var filename: String?

  /// Returns nil for anything except `form-data` with one `name` and at most one `filename`, both
  /// in quotes without backslashes, and nothing else.
  init?(_ value: String) {
    var rest = value[...]
    let type = rest.prefix { $0 != ";" }
    guard type.trimmingSpaces.lowercased() == "form-data" else { return nil }
    rest = rest[type.endIndex...]
    var hasName = false
    while !rest.isEmpty {
      guard let (key, text) = Self.takeParameter(&rest) else { return nil }
      switch key {
      case "name" where !hasName:
        hasName = true
        name = text
      case "filename" where filename == nil: filename = text
      default: return nil
      }
    }
    guard hasName, !name.isEmpty else { return nil }
  }

  /// Removes `; key="text"` from the beginning.
  private static func takeParameter(_ rest: inout Substring) -> (key: String, text: String)? {
    rest = rest.trimmingSpaces
    guard rest.popFirst() == ";" else { return nil }
    guard let equals = rest.firstIndex(of: "=") else { return nil }
    let key = rest[..<equals].trimmingSpaces.lowercased()
    rest = rest[rest.index(after: equals)...]
    guard rest.popFirst() == "\"", let end = rest.firstIndex(of: "\"") else { return nil }
    let text = rest[..<end]
    guard !text.utf8.contains(UInt8(ascii: "\\")) else { return nil }
    rest = rest[rest.index(after: end)...]
    return (key, String(text))
  }
}

/// Finds a byte string by Horspool's algorithm, which skips most of the searched bytes.
struct ByteSearch {
  private let pattern: [UInt8]
  private var skips: [Int]

  /// - Parameter pattern: The bytes to find; at least one.
  init(_ pattern: [UInt8]) {
    self.pattern = pattern
    skips = [Int](repeating: pattern.count, count: 256)
    for (index, byte) in pattern.dropLast().enumerated() {
      skips[Int(byte)] = pattern.count - 1 - index
    }
  }

  var length: Int { pattern.count }

  /// Returns the position of the first occurrence at `start` or later; nil if there is none.
  func first(in bytes: Span<UInt8>, from start: Int) -> Int? {
    let last = pattern.count - 1
    var index = start
    while index + last < bytes.count {
      let byte = bytes[index + last]
      if byte == pattern[last], matches(bytes, at: index) { return index }
      index += skips[Int(byte)]
    }
    return nil
  }

  private func matches(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    for offset in pattern.indices where bytes[index + offset] != pattern[offset] { return false }
    return true
  }
}

extension Span where Element == UInt8 {
  fileprivate func hasLineBreak(at index: Int) -> Bool {
    index + 1 < count && self[index] == ASCII.carriageReturn && self[index + 1] == ASCII.lineFeed
  }
}
