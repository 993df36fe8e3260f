internal import Configuration
internal import JSON
internal import Money
internal import Pricing
internal import Time

/// `catraca price MODEL`: what a request would cost.
enum Price {
  private static let model = Parameter(
    "model", ArgumentFormat<String>.text("MODEL"), "the model's name or an alias",
    isRequired: true)
  private static let count = ArgumentFormat<Int64>.integer(0...Usage.largestCount)
  private static let input = Parameter(
    "in", count, "input tokens, cached ones included", isRequired: true)
  private static let output = Parameter(
    "out", count, "output tokens, reasoning included", isRequired: true)
  private static let cached = Parameter(
    "cached", count, "cached tokens of the input", default: "0")
  private static let reasoning = Parameter(
    "reasoning", count, "reasoning tokens of the output", default: "0")
  private static let provider = Parameter(
    "provider", ArgumentFormat<String>.name("P"), "whose, where several have the model")
  private static let tier = Parameter(
    "tier", ArgumentFormat<String>.text("T"), "the service tier, such as batch or flex")
  private static let window = Parameter(
    "window", ArgumentFormat<String>.text("W"),
    "the completion window of a response in the background, such as 2h")
  private static let container = Parameter(
    "container", ArgumentFormat<String>.text("SIZE"),
    "with a session of a container with this much memory, such as 4g")
  private static let moment = Parameter(
    "at", ArgumentFormat<Moment>.moment, "at the prices of that time, a date in UTC")

  static let command = Command(
    "price", "tells what a request would cost",
    arguments: [model],
    options: [
      input, output, cached, reasoning, provider, tier, window, container, moment,
      CommonOptions.config, CommonOptions.format,
    ],
    examples: [
      Command.Example(
        line: "price gpt-4o-mini --in 100000 --out 2000 --cached 80000",
        meaning: "each quantity with its price, and the sum")
    ]
  ) { invocation throws(CommandError) in
    let values = invocation.values
    let settings = try invocation.settings()
    let priced = try find(
      try values.required(model), of: values[provider], in: try settings.priceBook())
    if let size = values[container], priced.containers[size] == nil {
      throw .failed(
        "the pricing file has no price of containers with \(size); allowed: "
          + priced.containers.keys.sorted().joined(separator: ", "))
    }
    let usage = try usage(values)
    let context = PricingContext(
      instant: values[moment]?.timestamp(in: .utc) ?? invocation.surroundings.now(),
      tier: values[tier], completionWindow: values[window],
      calls: values[container].map { [ContainerPrice.name(ofSize: $0)] } ?? [])
    do throws(PricingError) {
      try check(context, of: priced)
      let tariff = try priced.tariff(in: context, inputTokens: usage.inputTokens)
      return CommandOutcome(report(try tariff.cost(of: usage), of: usage, at: tariff))
    } catch {
      throw .failed(message(error))
    }
  }

  private static func find(
    _ name: String, of provider: String?, in book: PriceBook
  ) throws(CommandError) -> PricedModel {
    if let provider, !book.providers.contains(provider) {
      throw .failed(
        "no pricing file is of provider \(provider); allowed: "
          + book.providers.joined(separator: ", "))
    }
    let found = provider.map { book.model(name, of: $0) } ?? book.model(name)
    if let found { return found }
    let models = book.allModels.filter { provider == nil || $0.provider == provider }
    let suggestion = likelyMeant(by: name, among: models.map(\.name))
    throw .failed(
      "no pricing file has the model '\(name)'"
        + (suggestion.map { "; did you mean \($0)?" } ?? ""))
  }

  /// A window without a price is refused here as it is in a request.
  private static func check(
    _ context: PricingContext, of model: PricedModel
  ) throws(PricingError) {
    let prices = model.declaredPrices(at: context.instant)
    guard let window = context.completionWindow, prices?.completionWindows[window] == nil else {
      return
    }
    throw .completionWindowNotPriced(model: model.name, window: window)
  }

  private static func usage(_ values: ArgumentValues) throws(CommandError) -> Usage {
    let usage = Usage(
      inputTokens: try values.required(input), cachedInputTokens: try values.required(cached),
      outputTokens: try values.required(output),
      reasoningTokens: try values.required(reasoning),
      calls: values[container] == nil ? 0 : 1)
    guard let usage else {
      throw .usage(
        .contradiction("--cached is part of --in, and --reasoning of --out; allowed: at most that"))
    }
    return usage
  }

  private static func report(_ cost: Cost, of usage: Usage, at tariff: Tariff) -> Report {
    let table = CostTable.table(of: tariff.lines(of: usage))
    var total = Record()
    total.add("cost_usd", "Cost USD", .money(cost.nanoUSD))
    total.add("cost", "Cost \(cost.billed.currency.code)", .money(cost.billed))
    total.add("currency", nil, .text(cost.billed.currency.code))
    total.add("model", "Model", .text(tariff.origin.model))
    total.add("provider", "Provider", .text(tariff.origin.provider))
    total.add("tier", "Tier", .optional(tariff.origin.tier))
    total.add("completion_window", "Window", .optional(tariff.origin.completionWindow))
    if tariff.origin.priceFactor != .one {
      total.add("price_factor", "Factor", .text(tariff.origin.priceFactor.description))
    }
    total.add("file", "Prices", .text(tariff.origin.file))
    total.add("as_of", "As of", .text(tariff.origin.asOf.description))
    total.add("price_version", nil, .text(tariff.version))
    var sections: [Document.Section] = [.table(table), .record(total)]
    if cost.isTierAssumed {
      sections.append(
        .lines(["The tier has no price for this model: the highest of all its tiers are taken."]))
    }
    return .document(
      Document(sections: sections, table: table) { [total] writer in
        writer.object { object in
          object.members(of: total)
          object.member("explain") { $0.rows(table) }
        }
      })
  }

  private static func message(_ error: PricingError) -> String {
    switch error {
    case .modelNotPriced(let model):
      "\(model) has no price at that time; allowed: --at a later date"
    case .completionWindowNotPriced(let model, let window):
      "\(model) has no price for the completion window \(window) at that time; allowed: a window "
        + "of its completion_windows"
    case .unpriceable(let quantities):
      "the pricing file has no price for \(quantities.map(\.name).joined(separator: ", "))"
    case .amountTooLarge:
      "that costs more than can be counted; allowed: fewer tokens"
    default:
      "this can't be priced: \(error)"
    }
  }
}
