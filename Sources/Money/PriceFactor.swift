/// The factor of a provider's prices, for example `1.1` for endpoints that process in a region.
///
/// Example: with the factor 1.1, a price of 0.75 becomes 0.825.
public struct PriceFactor: Hashable, Sendable, CustomStringConvertible {
  /// The factor as a markup: 1.1 is 10%.
  public let markup: Markup

  /// No change of the prices.
  public static let one = PriceFactor(markup: .none)

  /// The rule for the texts that `init(_:)` reads, for messages.
  public static let rule =
    "a decimal such as \"1.1\", from 0.01 to 10, with at most four decimals"

  private static let range: ClosedRange<Int64> = 100...100_000
  private static let places = 4

  private init(markup: Markup) {
    self.markup = markup
  }

  /// Reads a factor, for example `1.1`; nil if `text` breaks `rule`.
  public init?(_ text: String) {
    guard let factor = try? DecimalText.parse(text, places: PriceFactor.places),
      PriceFactor.range.contains(factor)
    else { return nil }
    markup = Markup(hundredths: factor - Markup.whole)
  }

  /// The shortest text that `init(_:)` reads as the same factor.
  public var description: String {
    var text: [UInt8] = []
    DecimalText.append(
      UInt128(markup.factor.magnitude), places: PriceFactor.places, least: 0, to: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
