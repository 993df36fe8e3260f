internal import Money

/// A wrong field of something that a file, a call, a form or a command states.
public struct FieldMistake: Error, Hashable, Sendable {
  public enum Kind: Sendable {
    /// The field is needed and absent.
    case missing
    case invalid
    /// The field names something that doesn't exist here, such as a currency without a rate.
    case unknown
  }

  public let kind: Kind
  /// The field's name in files and in the API.
  public let field: String
  /// The problem, such as `tokens is not used by this mode`.
  public let problem: String
  /// The allowed values, for the message after `allowed: `.
  public let allowed: String

  public init(
    _ field: String, _ problem: String? = nil, allowed: String, kind: Kind = .invalid
  ) {
    self.kind = kind
    self.field = field
    self.problem = problem ?? "\(field) is not valid"
    self.allowed = allowed
  }

  public var message: String { "\(problem); allowed: \(allowed)" }
}

extension ExchangeRates {
  /// Throws a `FieldMistake` if a currency has no rate.
  ///
  /// - Parameter field: The field that names the currency.
  func requireRate(of currency: Currency, _ field: String = "currency") throws(FieldMistake) {
    guard rate(of: currency) == nil else { return }
    throw FieldMistake(
      field, "\(currency.code) has no rate in currency.per_usd",
      allowed: currencies.map(\.code).joined(separator: ", "), kind: .unknown)
  }
}
