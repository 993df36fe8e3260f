public import Money
public import Time

/// One pricing file: a provider's prices for its models.
public struct ProviderPrices: Hashable, Sendable {
  public var provider: String
  /// The currency of the prices. A price book accepts only US dollars.
  public var currency: Currency
  /// The source from which the prices were read.
  public var source: String
  /// The day on which the prices were read.
  public var asOf: CivilDate
  /// The file's path as the configuration names it, for example `pricing/openai.yaml`.
  public var file: String
  /// The prices of calls that are billed separately from tokens, by name: `web_search`.
  public var surcharges: [String: FixedDecimal]
  /// The prices of a container session, by its memory: `16g`.
  public var containers: [String: FixedDecimal]
  /// The factor on token prices, for endpoints that the configuration names. It isn't in the file.
  /// `ModelDeclaration.takesPriceFactor` says which models it applies to.
  public var priceFactor: PriceFactor
  /// The tier, besides the base, in which requests without a tier may be served. The configuration
  /// states it for a project with such a setting.
  public var automaticTier = "priority"
  public var models: [ModelDeclaration]

  public init(
    provider: String, currency: Currency = .usd, source: String, asOf: CivilDate, file: String,
    surcharges: [String: FixedDecimal] = [:], containers: [String: FixedDecimal] = [:],
    priceFactor: PriceFactor = .one, models: [ModelDeclaration]
  ) {
    self.provider = provider
    self.currency = currency
    self.source = source
    self.asOf = asOf
    self.file = file
    self.surcharges = surcharges
    self.containers = containers
    self.priceFactor = priceFactor
    self.models = models
  }
}

/// One model of a pricing file.
public struct ModelDeclaration: Hashable, Sendable {
  public var name: String
  /// The provider's other names for the model, for example a dated snapshot.
  public var aliases: [String]
  public var operation: Operation
  /// The most tokens of one answer, including reasoning.
  public var maxOutputTokens: Int64?
  /// The most tokens of input and output together.
  public var contextTokens: Int64?
  /// The minimum of billed audio, in seconds.
  public var minimumSeconds: Int64
  /// Whether the provider's `priceFactor` applies. It doesn't for models that cost the same in
  /// every region.
  public var takesPriceFactor: Bool
  /// The prices of calls, as in `ProviderPrices`; they take precedence over the provider's.
  public var surcharges: [String: FixedDecimal]
  /// The prices over time, ascending by `from`; at least one.
  public var prices: [DatedPrices]

  public init(
    name: String, aliases: [String] = [], operation: Operation, maxOutputTokens: Int64? = nil,
    contextTokens: Int64? = nil, minimumSeconds: Int64 = 0,
    takesPriceFactor: Bool = true, surcharges: [String: FixedDecimal] = [:],
    prices: [DatedPrices]
  ) {
    self.name = name
    self.aliases = aliases
    self.operation = operation
    self.maxOutputTokens = maxOutputTokens
    self.contextTokens = contextTokens
    self.minimumSeconds = minimumSeconds
    self.takesPriceFactor = takesPriceFactor
    self.surcharges = surcharges
    self.prices = prices
  }
}

/// A model's prices from one day until the next prices begin.
public struct DatedPrices: Hashable, Sendable {
  /// The prices apply from midnight UTC of that day; nil means since ever.
  public var from: CivilDate?
  public var base: SteppedPrices
  /// Service tiers, by the provider's names: `batch`, `flex`, `priority`.
  public var tiers: [String: SteppedPrices]
  /// The prices of background responses that may take until the end of a window, by the provider's
  /// name for it: `2h`. As in tiers, an omitted price is the base's.
  public var completionWindows: [String: SteppedPrices]

  public init(
    from: CivilDate? = nil, base: SteppedPrices, tiers: [String: SteppedPrices] = [:],
    completionWindows: [String: SteppedPrices] = [:]
  ) {
    self.from = from
    self.base = base
    self.tiers = tiers
    self.completionWindows = completionWindows
  }
}

/// Prices, with the prices that replace them for a whole request with a long input.
public struct SteppedPrices: Hashable, Sendable {
  public var table: PriceTable
  /// The prices of each step, by the number of input tokens to exceed. A price that a step omits is
  /// unchanged.
  public var aboveInputTokens: [Int64: PriceTable]

  public init(_ table: PriceTable, aboveInputTokens: [Int64: PriceTable] = [:]) {
    self.table = table
    self.aboveInputTokens = aboveInputTokens
  }
}
