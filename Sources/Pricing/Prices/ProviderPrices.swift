public import Money
public import Time

/// One pricing file: what a provider charges for its models.
public struct ProviderPrices: Hashable, Sendable {
  public var provider: String
  /// In which prices are stated; a price book takes US dollars.
  public var currency: Currency
  /// Where the prices were read.
  public var source: String
  /// When they were read.
  public var asOf: CivilDate
  /// The file's path as the configuration names it, such as `pricing/openai.yaml`.
  public var file: String
  /// What calls billed outside tokens cost, each, by name: `web_search`.
  public var surcharges: [String: FixedDecimal]
  /// What a session of a container costs, by its memory: `16g`.
  public var containers: [String: FixedDecimal]
  /// What the prices of tokens are multiplied by, for the endpoints that the configuration names.
  /// The file doesn't say it; `ModelDeclaration.takesPriceFactor` says for which models.
  public var priceFactor: PriceFactor
  /// The tier in which requests that name none may be served, besides the base; the configuration
  /// says it, for a project that is set up so.
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
  /// Other names that the provider takes for it, such as a dated snapshot.
  public var aliases: [String]
  public var operation: Operation
  /// The most that one answer can hold, reasoning included.
  public var maxOutputTokens: Int64?
  /// The most that input and output can be together.
  public var contextTokens: Int64?
  /// The least audio that is billed, in seconds.
  public var minimumSeconds: Int64
  /// Whether the provider's `priceFactor` holds for it: it doesn't for models that cost the same in
  /// every region.
  public var takesPriceFactor: Bool
  /// As in `ProviderPrices`, which these precede.
  public var surcharges: [String: FixedDecimal]
  /// Its prices over time, ascending by `from`; at least one.
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

/// A model's prices from a day on, until the next ones.
public struct DatedPrices: Hashable, Sendable {
  /// From midnight UTC of that day; nil for ever since.
  public var from: CivilDate?
  public var base: SteppedPrices
  /// Service tiers by the provider's name for them: `batch`, `flex`, `priority`.
  public var tiers: [String: SteppedPrices]
  /// Of responses in the background that may take until the end of a window, by the provider's name
  /// for it: `2h`. As in tiers, what is left out keeps the base price.
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

/// Prices, and those that replace them for the whole of a request with a long input.
public struct SteppedPrices: Hashable, Sendable {
  public var table: PriceTable
  /// By the number of input tokens that a request must exceed. What a step leaves out keeps its
  /// price.
  public var aboveInputTokens: [Int64: PriceTable]

  public init(_ table: PriceTable, aboveInputTokens: [Int64: PriceTable] = [:]) {
    self.table = table
    self.aboveInputTokens = aboveInputTokens
  }
}
