/// Where a link leads within this site: a path, and what stands behind the `?`.
///
/// Names of clients, budgets and models are escaped, so that none can lead elsewhere.
public struct PageAddress: Sendable, Hashable {
  /// As it stands in a request.
  public private(set) var text: String
  private var hasQuery = false

  /// - Parameter path: a constant, such as `/dashboard/clients`.
  public init(_ path: StaticString) {
    text = path.description
  }

  /// What stands before the `?`, and what stands behind it.
  public var parts: (path: String, query: String?) {
    let parts = text.split(separator: "?", maxSplits: 1).map(String.init)
    return (parts.first ?? "", parts.dropFirst().first)
  }

  /// The address of something below.
  public func appending(_ segments: String...) -> PageAddress {
    var address = self
    for segment in segments { address.text += "/" + PageAddress.escape(segment) }
    return address
  }

  /// With a parameter; without it where the value is nil or empty.
  public func with(_ name: StaticString, _ value: String?) -> PageAddress {
    with(parameter: name.description, value)
  }

  /// As `with`, for a parameter whose name isn't known here.
  public func with(parameter name: String, _ value: String?) -> PageAddress {
    guard let value, !value.isEmpty else { return self }
    var address = self
    address.text +=
      (hasQuery ? "&" : "?") + PageAddress.escape(name) + "=" + PageAddress.escape(value)
    address.hasQuery = true
    return address
  }

  /// With a whole query as a browser sent it, without the bytes that no address has.
  public func with(query: String) -> PageAddress {
    var address = self
    let visible = query.utf8.filter { (0x21...0x7E).contains($0) }
    address.text += "?" + String(decoding: visible, as: UTF8.self)
    address.hasQuery = true
    return address
  }

  /// Escapes all but what stands for itself everywhere (RFC 3986, 2.3).
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
