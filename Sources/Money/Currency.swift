/// A currency by its ISO 4217 code: three upper-case ASCII letters, for example `USD`.
public struct Currency: Hashable, Sendable, Comparable {
  public let code: String

  public static let usd = Currency(unchecked: "USD")

  private init(unchecked code: String) {
    self.code = code
  }

  /// Makes a currency of a code; lower case becomes upper case. Nil if `code` isn't three ASCII
  /// letters.
  public init?(_ code: String) {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard code.utf8.count == 3, code.utf8.allSatisfy({ letters.contains($0 | 0x20) }) else {
      return nil
    }
    self.init(unchecked: code.uppercased())
  }

  public static func < (left: Currency, right: Currency) -> Bool {
    left.code < right.code
  }
}
