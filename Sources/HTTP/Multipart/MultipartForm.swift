/// The parts of a `multipart/form-data` body (RFC 7578), as ranges of its bytes: nothing is copied.
///
/// It is read whole, since it is forwarded only when all of it is known, and strictly: whatever two
/// readers might take apart differently is refused. Before the first boundary and behind the last
/// one there is nothing; a boundary stands on a line of its own and nowhere else, not even
/// within a longer line; names have no escapes.
public struct MultipartForm: Sendable, Hashable {
  /// More parts than any form of the APIs has: 16 images, and each field some times.
  public static let mostParts = 256
  /// The most bytes of the fields of one part.
  public static let largestPartHead = 4 << 10

  /// One part: a field, or a file if it has a filename.
  public struct Part: Sendable, Hashable {
    public let name: String
    public let filename: String?
    /// Where its content stands in the body.
    public let content: Range<Int>

    public var isFile: Bool { filename != nil }
  }

  /// What separates the parts, without its leading hyphens.
  public let boundary: String
  /// In the order of the body.
  public let parts: [Part]

  /// Takes a body apart.
  ///
  /// - Parameter contentType: the value of the request's `Content-Type`.
  public init(_ body: [UInt8], contentType: String) throws(MultipartError) {
    guard let boundary = MultipartForm.boundary(of: contentType) else {
      throw .invalidContentType
    }
    self.boundary = boundary
    var reader = MultipartReader(boundary: boundary)
    parts = try reader.read(body.span)
  }

  /// The parts with this name.
  public func parts(named name: String) -> some Sequence<Part> {
    parts.lazy.filter { $0.name == name }
  }

  /// The boundary that a media type names; nil unless it is `multipart/form-data` with exactly one.
  public static func boundary(of contentType: String) -> String? {
    let pieces = contentType.split(separator: ";", omittingEmptySubsequences: false)
    guard isFormType(contentType) else { return nil }
    var boundary: Substring?
    for piece in pieces.dropFirst() {
      let parameter = piece.trimmingSpaces
      guard let equals = parameter.firstIndex(of: "=") else { return nil }
      let value = parameter[parameter.index(after: equals)...]
      switch parameter[..<equals].lowercased() {
      case "boundary" where boundary == nil: boundary = value.unquoted
      case "charset" where isPlainCharset(value): break
      // `boundary*`, `boundary*0` and the like name another boundary to some readers (RFC 2231).
      default: return nil
      }
    }
    guard let boundary, (1...longestBoundary).contains(boundary.utf8.count),
      boundary.utf8.allSatisfy(isBoundaryByte)
    else { return nil }
    return String(boundary)
  }

  /// Whether a media type is `multipart/form-data`, with whatever parameters.
  public static func isFormType(_ contentType: String) -> Bool {
    contentType.prefix { $0 != ";" }.trimmingSpaces.lowercased() == "multipart/form-data"
  }

  /// Whether a text in this charset is read as UTF-8 by everybody.
  static func isPlainCharset(_ charset: Substring) -> Bool {
    ["utf-8", "us-ascii"].contains(charset.unquoted.lowercased())
  }

  private static let longestBoundary = 70

  /// RFC 2046 allows more: a space and a slash are read differently by some.
  private static func isBoundaryByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "?"):
      true
    default: false
    }
  }
}

extension Substring {
  var trimmingSpaces: Substring {
    var rest = self
    while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return rest
  }

  /// Without the quotation marks around it, if it has both.
  fileprivate var unquoted: Substring {
    guard utf8.count >= 2, first == "\"", last == "\"" else { return self }
    return dropFirst().dropLast()
  }
}
