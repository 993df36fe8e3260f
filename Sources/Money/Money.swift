/// An amount of a currency in whole nano-units (10⁻⁹), the only form in which money is recorded.
public struct Money: Hashable, Sendable {
  /// Billionths of one unit of `currency`.
  public let nanoUnits: Int64
  public let currency: Currency

  public init(nanoUnits: Int64, currency: Currency) {
    self.nanoUnits = nanoUnits
    self.currency = currency
  }
}

/// A currency by its ISO 4217 code: three upper-case ASCII letters.
public struct Currency: Hashable, Sendable, Comparable {
  public let code: String

  public static let usd = Currency(unchecked: "USD")

  private init(unchecked code: String) {
    self.code = code
  }

  /// Nil unless `code` is three ASCII letters; lower case is taken as upper case.
  public init?(_ code: String) {
    let upper = code.uppercased()
    guard upper.utf8.count == 3, upper.utf8.allSatisfy({ (65...90).contains($0) }) else {
      return nil
    }
    self.init(unchecked: upper)
  }

  public static func < (left: Currency, right: Currency) -> Bool {
    left.code < right.code
  }
}
