internal import JSON

/// JSON as a provider writes it: a literal of this program with holes for values.
///
/// A hole quotes and escapes a string, and writes nil as `null`. A line break of the literal and
/// the spaces behind it aren't part of the text.
///
/// ```swift
/// let model: JSONText = """
///   {"id":\(id),"object":"model",
///   "created":\(created)}
///   """
/// ```
struct JSONText: Sendable, ExpressibleByStringInterpolation {
  let bytes: [UInt8]

  static let null: JSONText = "null"

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  init(stringLiteral literal: StaticString) {
    var interpolation = Interpolation(literalCapacity: 0, interpolationCount: 0)
    interpolation.appendLiteral(literal)
    bytes = interpolation.bytes
  }

  init(stringInterpolation interpolation: Interpolation) {
    bytes = interpolation.bytes
  }

  /// Collects the parts of a literal.
  struct Interpolation: StringInterpolationProtocol {
    private(set) var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: StaticString) {
      literal.withUTF8Buffer { text in
        var rest = text[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          bytes += rest[..<end]
          rest = rest[(end + 1)...].drop { $0 == UInt8(ascii: " ") }
        }
        bytes += rest
      }
    }

    /// Appends a quoted string; null for nil.
    mutating func appendInterpolation(_ text: String?) {
      write { if let text { $0.string(text) } else { $0.null() } }
    }

    /// Appends a number; null for nil.
    mutating func appendInterpolation(_ number: Int64?) {
      write { if let number { $0.integer(number) } else { $0.null() } }
    }

    mutating func appendInterpolation(_ number: Int) {
      write { $0.integer(Int64(number)) }
    }

    /// Appends a number with a fraction: 1250 with 3 decimals is `1.250`.
    mutating func appendInterpolation(_ number: Int64, decimals: Int) {
      let digits = String(number)
      let zeros = String(repeating: "0", count: max(0, decimals + 1 - digits.utf8.count))
      let text = zeros + digits
      bytes += "\(text.dropLast(decimals)).\(text.suffix(decimals))".utf8
    }

    mutating func appendInterpolation(_ value: Bool) {
      write { $0.boolean(value) }
    }

    /// Appends a text as it is.
    mutating func appendInterpolation(_ part: JSONText) {
      bytes += part.bytes
    }

    /// Appends an array.
    mutating func appendInterpolation(_ elements: [JSONText]) {
      write { writer in
        writer.array { array in
          for element in elements { array.raw(element.bytes) }
        }
      }
    }

    /// Appends a comma and a member; nothing for nil.
    mutating func appendInterpolation(member name: StaticString, _ value: JSONText?) {
      guard let value else { return }
      bytes.append(UInt8(ascii: ","))
      write { $0.key(constant: name) }
      bytes += value.bytes
    }

    /// Lends the bytes to a writer, which knows the escapes of strings.
    private mutating func write(_ content: (inout JSONWriter) -> Void) {
      var lent: [UInt8] = []
      swap(&lent, &bytes)
      var writer = JSONWriter(appendingTo: consume lent)
      content(&writer)
      bytes = writer.bytes
    }
  }
}

extension JSONText {
  /// The text as an event of a stream.
  var event: [UInt8] { Array("data: ".utf8) + bytes + Array("\n\n".utf8) }

  func event(named name: String) -> [UInt8] { Array("event: \(name)\n".utf8) + event }

  /// The event that ends a stream.
  static let done = Array("data: [DONE]\n\n".utf8)
}
