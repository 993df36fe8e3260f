/// A piece of HTML.
///
/// Only literals in this program become markup. Interpolated text is escaped, and interpolated HTML
/// is inserted as it is. Text from outside can therefore never become markup. Values of attributes
/// must be in double quotation marks.
public struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// UTF-8.
  public private(set) var bytes: [UInt8]

  /// An empty piece.
  public static let empty = HTML(bytes: [])

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  public init(stringLiteral literal: StaticString) {
    bytes = []
    literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  public init(stringInterpolation interpolation: Interpolation) {
    bytes = interpolation.bytes
  }

  public var isEmpty: Bool { bytes.isEmpty }

  public static func += (left: inout HTML, right: HTML) {
    left.bytes += right.bytes
  }

  /// Collects the parts of a literal.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    public mutating func appendLiteral(_ literal: StaticString) {
      literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends escaped text, for an element's content or a quoted attribute.
    public mutating func appendInterpolation(_ text: String) {
      Escaping.append(text, to: &bytes)
    }

    public mutating func appendInterpolation(_ number: Int) {
      bytes.append(contentsOf: String(number).utf8)
    }

    /// Appends the address of a link, for a quoted attribute.
    public mutating func appendInterpolation(_ address: PageAddress) {
      Escaping.append(address.text, to: &bytes)
    }

    public mutating func appendInterpolation(_ part: HTML) {
      bytes += part.bytes
    }

    /// Appends a piece; nothing for nil.
    public mutating func appendInterpolation(_ part: HTML?) {
      if let part { bytes += part.bytes }
    }

    public mutating func appendInterpolation(_ parts: [HTML]) {
      for part in parts { bytes += part.bytes }
    }

    /// Appends a piece if the condition holds, such as the attribute `checked`.
    public mutating func appendInterpolation(if condition: Bool, _ part: HTML) {
      if condition { bytes += part.bytes }
    }
  }
}

/// Escapes the characters that have a meaning in markup.
enum Escaping {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
      case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
      case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
      default: bytes.append(byte)
      }
    }
  }
}
