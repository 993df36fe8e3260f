public import Money

/// The unit prices and exchange rates for one combination of model, tier, input length, day and
/// client.
///
/// The ledger keeps a tariff's record as text, once per version. A tariff read from its record
/// computes the same cost again, even if the pricing files have changed.
public final class Tariff: Sendable {
  let terms: TariffTerms

  /// The provider's tariff, if this one has a client's own prices; nil otherwise.
  let book: Tariff?

  /// The names of file, day, content, model, tier, length step and override, for example
  /// `pricing/openai.yaml@2026-11-01#1f3a9c2b44d0:gpt-4o-mini/batch>272000+acme/1`.
  ///
  /// The content is a fingerprint of the record, so equal versions mean equal costs.
  public let version: String
  /// Everything that the cost depends on, one `key value` per line.
  public let record: String

  /// The highest price of any kind of token; nil if no kind has one.
  let dearestToken: FixedDecimal?
  /// The highest price of an input text token: read from the provider's cache, written to it, or
  /// neither.
  let dearestTextInput: FixedDecimal
  /// The same where nothing is written to the cache for twelve hours.
  let dearestTextInputOfShortCache: FixedDecimal

  init(_ terms: TariffTerms, book: Tariff? = nil) {
    self.terms = terms
    self.book = book
    record = TariffRecord.text(of: terms, book: book?.terms.prices)
    version = TariffRecord.version(of: terms.origin, record: record)
    dearestToken = terms.prices.dearest(of: PricedQuantity.tokens)
    dearestTextInputOfShortCache =
      terms.prices.dearest(of: [.input, .cachedInput, .cacheWrite]) ?? .zero
    dearestTextInput = max(
      dearestTextInputOfShortCache, terms.prices[.cacheWriteLong] ?? .zero)
  }

  /// Reads a tariff from its record.
  /// - Throws: `PricingError.malformedRecord`.
  public convenience init(record: String) throws(PricingError) {
    let (terms, prices) = try TariffRecord.read(record)
    var ofBook = terms
    ofBook.origin.overrideLabel = nil
    self.init(
      terms,
      book: prices.map { prices in
        ofBook.prices = prices
        return Tariff(ofBook)
      })
  }

  public var origin: PriceOrigin { terms.origin }
  public var prices: PriceTable { terms.prices }
  public var rates: ExchangeRates { terms.rates }
}

extension Tariff {
  /// Returns the cost of a usage, without a markup.
  ///
  /// If a quantity has no price, it is charged the highest price of the same unit and named in
  /// `Cost.unpriced`. Calls without a price are named there and not charged. In a model priced by
  /// tokens, audio, characters and images without a price are paid for by the tokens beside them.
  ///
  /// - Throws: `PricingError.unpriceable` if no price can stand in, and
  ///   `PricingError.amountTooLarge`. The whole hold is then the charge.
  public func cost(of usage: Usage) throws(PricingError) -> Cost {
    try Bill(usage, by: self).cost()
  }

  /// The cost of a usage before rounding.
  struct ExactCost {
    /// By this tariff.
    var charged: ExactAmount
    /// By the book.
    var provider: ExactAmount
    var unpriced: [PricedQuantity]
  }

  /// Returns the cost of a usage before rounding. A quantity that only the client's own prices can
  /// price costs the provider the same.
  ///
  /// - Throws: `PricingError.unpriceable`.
  func exactCost(of usage: Usage) throws(PricingError) -> ExactCost {
    let (charged, unpriced) = try sum(of: usage)
    guard let book else {
      return ExactCost(charged: charged, provider: charged, unpriced: unpriced)
    }
    let ofBook = try? book.sum(of: usage).exact
    return ExactCost(charged: charged, provider: ofBook ?? charged, unpriced: unpriced)
  }

  private func sum(
    of usage: Usage
  ) throws(PricingError) -> (exact: ExactAmount, unpriced: [PricedQuantity]) {
    var exact = ExactAmount.zero
    var unpriced: [PricedQuantity] = []
    var unpriceable: [PricedQuantity] = []
    for quantity in PricedQuantity.all {
      let amount = billed(quantity, of: usage)
      if amount == 0 { continue }
      let charge = charge(for: quantity, of: usage)
      if let price = charge.price {
        exact += ExactAmount(price: price, per: quantity.basis, quantity: amount)
      } else if !charge.isFree {
        unpriceable.append(quantity)
      }
      if charge.isMarked { unpriced.append(quantity) }
    }
    guard unpriceable.isEmpty else { throw .unpriceable(unpriceable) }
    return (exact, unpriced)
  }

  /// Returns the cost by quantity, without quantities that aren't charged.
  public func lines(of usage: Usage) -> [CostLine] {
    PricedQuantity.all.compactMap { quantity in
      let amount = billed(quantity, of: usage)
      let charge = charge(for: quantity, of: usage)
      guard amount > 0, let price = charge.price else { return nil }
      return CostLine(
        quantity: quantity, amount: amount, price: price, isUnpriced: charge.isMarked)
    }
  }

  /// Returns the billed amount of a quantity. Audio is billed by the second if that has a price,
  /// and by the minute otherwise.
  private func billed(_ quantity: PricedQuantity, of usage: Usage) -> Int64 {
    switch quantity {
    case .input: usage.textInputTokens
    case .cachedInput: usage.cachedInputTokens
    case .cacheWrite: usage.cacheWriteTokens
    case .cacheWriteLong: usage.cacheWriteLongTokens
    case .audioInput: usage.audioInputTokens
    case .imageInput: usage.imageInputTokens
    case .output: usage.textOutputTokens + usage.reasoningTokens
    case .audioOutput: usage.audioOutputTokens
    case .imageOutput: usage.imageOutputTokens
    case .minute: terms.prices[.second] == nil ? billedMilliseconds(usage.audioMilliseconds) : 0
    case .second: terms.prices[.second] == nil ? 0 : billedMilliseconds(usage.audioMilliseconds)
    case .character: usage.characters
    case .image: usage.images
    case .call: usage.calls
    }
  }

  /// Returns the billed duration: any audio is billed at least the minimum.
  func billedMilliseconds(_ milliseconds: Int64) -> Int64 {
    milliseconds == 0 ? 0 : max(milliseconds, terms.minimumSeconds.multipliedClamped(by: 1000))
  }

  private enum Charge {
    case stated(FixedDecimal)
    /// The highest price of the same unit stands in.
    case assumed(FixedDecimal)
    /// A call without a price: recorded and named, but not charged.
    case recorded
    /// Another quantity pays for it.
    case included
    case impossible

    var price: FixedDecimal? {
      switch self {
      case .stated(let price), .assumed(let price): price
      case .recorded, .included, .impossible: nil
      }
    }

    var isFree: Bool {
      switch self {
      case .recorded, .included: true
      case .stated, .assumed, .impossible: false
      }
    }

    var isMarked: Bool {
      switch self {
      case .assumed, .recorded: true
      case .stated, .included, .impossible: false
      }
    }
  }

  private func charge(for quantity: PricedQuantity, of usage: Usage) -> Charge {
    if let price = terms.prices[quantity] { return .stated(price) }
    switch quantity.unit {
    case .token: return dearestToken.map(Charge.assumed) ?? .impossible
    case .call: return .recorded
    case .millisecond, .character, .image:
      let isPaidInTokens = usage.totalTokens > 0 && dearestToken != nil
      return isPaidInTokens ? .included : .impossible
    }
  }
}

/// Everything that a tariff's costs depend on, and the origin of its prices.
struct TariffTerms: Sendable {
  var origin: PriceOrigin
  var prices: PriceTable
  /// The minimum of billed audio, in seconds.
  var minimumSeconds: Int64
  var rates: ExchangeRates
}
