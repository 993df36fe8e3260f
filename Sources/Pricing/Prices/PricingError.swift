public import Money

/// What keeps a request from being priced, or prices from making a book.
public enum PricingError: Error, Hashable, Sendable {
  // What a request shows; it is refused.

  /// The model has no price at that time.
  case modelNotPriced(model: String)
  /// The service tier that a request asks for has no price for its model.
  case tierNotPriced(model: String, tier: String)
  /// The completion window that a request asks for has no price for its model.
  case completionWindowNotPriced(model: String, window: String)
  /// A quantity that a request will use has no price for its model.
  case quantityNotPriced(model: String, quantity: PricedQuantity)

  // What only an answer shows; the whole hold is charged.

  /// Quantities without a price, and without another of the same unit to stand in for it.
  case unpriceable([PricedQuantity])
  /// More than any amount of money that can be recorded.
  case amountTooLarge

  // What makes no price book.

  /// Two files state prices of one provider.
  case duplicateProvider(String)
  /// A model's name or alias stands twice in a provider's file.
  case duplicateName(provider: String, name: String)
  /// A name is empty or has control characters, or a tier has a name of the base tier.
  case invalidName(String)
  /// Prices in anything but US dollars.
  case unsupportedCurrency(provider: String, currency: Currency)
  /// A model without prices, or with prices whose dates don't ascend.
  case invalidDates(provider: String, model: String)

  // What is no record.

  /// The line, from 1, at which a record of prices can't be read.
  case malformedRecord(line: Int)
  /// A record divides a usage among prices that isn't the one asked about.
  case recordOfOtherUsage
}
