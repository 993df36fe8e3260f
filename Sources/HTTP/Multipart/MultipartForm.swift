/// The parts of a `multipart/form-data` body (RFC 7578), as ranges of its bytes. Nothing is copied.
///
/// The body is read whole, because it is forwarded only after all of it is known. Parsing is
/// strict: anything that two readers might split differently is refused. No bytes may precede the
/// first boundary or follow the last one. A boundary must be on its own line and may not occur
/// anywhere else, not even within a longer line. Names have no escapes.
public struct MultipartForm: Sendable, Hashable {
  /// The most parts: more than any form of the APIs has (16 images, and each field several times).
  public static let mostParts = 256
  /// The most bytes of the fields of one part.
  public static let largestPartHead = 4 << 10

  /// One part: a field, or a file if it has a filename.
  public struct Part: Sendable, Hashable {
    public let name: String
    public let filename: String?
    /// The position of its content in the body.
    public let content: Range<Int>

    public var isFile: Bool { filename != nil }
  }

  /// The separator of the parts, without its leading hyphens.
  public let boundary: String
  /// The parts in the order of the body.
  public let parts: [Part]

  /// Splits a body.
  ///
  /// - Parameter contentType: The value of the request's `Content-Type`.
  /// - Throws: `MultipartError`.
  public init(_ body: [UInt8], contentType: String) throws(MultipartError) {
    guard let boundary = MultipartForm.boundary(of: contentType) else {
      throw .invalidContentType
    }
    self.boundary = boundary
    var reader = MultipartReader(boundary: boundary)
    parts = try reader.read(body.span)
  }

  /// Returns the parts with this name.
  public func parts(named name: String) -> some Sequence<Part> {
    parts.lazy.filter { $0.name == name }
  }

  /// Returns the boundary in a media type; nil unless it is `multipart/form-data` with exactly one
  /// boundary.
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
      // For some readers, `boundary*`, `boundary*0` and similar parameters name another boundary
      // (RFC 2231).
      default: return nil
      }
    }
    guard let boundary, (1...longestBoundary).contains(boundary.utf8.count),
      boundary.utf8.allSatisfy(isBoundaryByte)
    else { return nil }
    return String(boundary)
  }

  /// Whether a media type is `multipart/form-data`, with any parameters.
  public static func isFormType(_ contentType: String) -> Bool {
    contentType.prefix { $0 != ";" }.trimmingSpaces.lowercased() == "multipart/form-data"
  }

  /// Whether every reader reads a text in this charset as UTF-8.
  static func isPlainCharset(_ charset: Substring) -> Bool {
    ["utf-8", "us-ascii"].contains(charset.unquoted.lowercased())
  }

  private static let longestBoundary = 70

  /// RFC 2046 allows more characters, but some readers treat a space and a slash differently.
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

  /// Returns the text without its quotation marks, if it has both.
  fileprivate var unquoted: Substring {
    guard utf8.count >= 2, first == "\"", last == "\"" else { return self }
    return dropFirst().dropLast()
  }
}
