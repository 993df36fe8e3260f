/// A response without its body.
///
/// Its bytes can't be split into two responses: the reason phrase comes from a table, and fields
/// can't contain line ends.
public struct ResponseHead: Equatable, Sendable {
  /// The range of status codes.
  public static let statuses = 100...999

  /// One of `statuses`.
  public let status: Int
  public var fields: HeaderFields

  public init(status: Int, fields: HeaderFields = HeaderFields()) {
    precondition(Self.statuses.contains(status), "a status code has three digits")
    self.status = status
    self.fields = fields
  }

  /// Appends the head as HTTP/1.1, including the empty line that ends it.
  public func serialize(into output: inout [UInt8]) {
    let reason = Self.reasonPhrase(for: status)
    let punctuation = Self.linePunctuation * (fields.count + 1)
    let capacity = Self.statusLine + reason.utf8CodeUnitCount + fields.storage.count + punctuation
    output.append(addingCapacity: capacity) { output in
      output.append("HTTP/1.1 ")
      output.append(UInt8(ascii: "0") + UInt8(status / 100))
      output.append(UInt8(ascii: "0") + UInt8(status / 10 % 10))
      output.append(UInt8(ascii: "0") + UInt8(status % 10))
      output.append(ASCII.space)
      output.append(reason)
      output.append("\r\n")
      fields.forEach { name, value in
        output.append(name)
        output.append(": ")
        output.append(value)
        output.append("\r\n")
      }
      output.append("\r\n")
    }
  }

  /// The bytes of `HTTP/1.1 200 ` and its line end.
  private static let statusLine = 15
  /// The bytes of a field's `: ` and its line end.
  private static let linePunctuation = 4
}
