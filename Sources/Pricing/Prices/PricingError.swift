public import Money

/// The reason that a request can't be priced, or that prices don't form a book.
public enum PricingError: Error, Hashable, Sendable {
  // Errors that a request shows. The request is refused.

  /// The model has no price at that time.
  case modelNotPriced(model: String)
  /// The requested service tier has no price for the model.
  case tierNotPriced(model: String, tier: String)
  /// The requested completion window has no price for the model.
  case completionWindowNotPriced(model: String, window: String)
  /// A quantity that the request will use has no price for the model.
  case quantityNotPriced(model: String, quantity: PricedQuantity)

  // Errors that only an answer shows. The whole hold is charged.

  /// Quantities without a price, and without another price of the same unit to stand in.
  case unpriceable([PricedQuantity])
  /// The cost exceeds the largest amount of money that can be recorded.
  case amountTooLarge

  // Errors of a price book.

  /// Two files state prices of one provider.
  case duplicateProvider(String)
  /// A provider's file has a model's name or alias twice.
  case duplicateName(provider: String, name: String)
  /// A name is empty or has control characters, or a tier has a name of the base tier.
  case invalidName(String)
  /// The prices aren't in US dollars.
  case unsupportedCurrency(provider: String, currency: Currency)
  /// A model has no prices, or prices whose dates don't ascend.
  case invalidDates(provider: String, model: String)

  // Errors of a price record.

  /// The record can't be read at this line; the first line is 1.
  case malformedRecord(line: Int)
  /// The record divides a different usage among its prices.
  case recordOfOtherUsage
}
