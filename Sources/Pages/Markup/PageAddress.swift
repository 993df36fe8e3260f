/// The address of a link within this site: a path and a query.
///
/// Names of clients, budgets and models are escaped, so they can't change the link's target.
public struct PageAddress: Sendable, Hashable {
  /// The address as a request has it.
  public private(set) var text: String
  private var hasQuery = false

  /// - Parameter path: A constant path, such as `/dashboard/clients`.
  public init(_ path: StaticString) {
    text = path.description
  }

  /// The path and the query; the query is nil if there is none.
  public var parts: (path: String, query: String?) {
    let parts = text.split(separator: "?", maxSplits: 1).map(String.init)
    return (parts.first ?? "", parts.dropFirst().first)
  }

  /// The address with further segments.
  public func appending(_ segments: String...) -> PageAddress {
    var address = self
    for segment in segments { address.text += "/" + PageAddress.escape(segment) }
    return address
  }

  /// The address with a parameter; unchanged if the value is nil or empty.
  public func with(_ name: StaticString, _ value: String?) -> PageAddress {
    with(parameter: name.description, value)
  }

  /// The address with a parameter whose name isn't a constant.
  public func with(parameter name: String, _ value: String?) -> PageAddress {
    guard let value, !value.isEmpty else { return self }
    var address = self
    address.text +=
      (hasQuery ? "&" : "?") + PageAddress.escape(name) + "=" + PageAddress.escape(value)
    address.hasQuery = true
    return address
  }

  /// The address with a query as a browser sent it, without bytes that an address can't have.
  public func with(query: String) -> PageAddress {
    var address = self
    let visible = query.utf8.filter { (0x21...0x7E).contains($0) }
    address.text += "?" + String(decoding: visible, as: UTF8.self)
    address.hasQuery = true
    return address
  }

  /// Escapes all but the unreserved characters (RFC 3986, 2.3).
  private static func escape(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
