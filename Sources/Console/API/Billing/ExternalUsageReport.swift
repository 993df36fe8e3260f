internal import Budgets
internal import Configuration
internal import HTTP
internal import JSON
internal import Ledger
internal import Money
internal import Pricing
internal import Time

/// A report of usage outside the proxy, as `process-usage` takes it: the client, the tokens and the
/// model.
struct ExternalUsageReport {
  private static let user = BodyField("userId", .text)
  private static let total = BodyField("tokensUsed", .integer(1...largestTokens))
  private static let operation = BodyField<Operation>("operationType", .choice)
  private static let client = BodyField("clientId", .name)
  private static let metadata = BodyField("metadata", .smallObject(.freeObject))
  private static let provider = BodyField("provider", .text)
  private static let model = BodyField("model", .text)
  private static let input = BodyField("inputTokens", .integer(0...largestTokens))
  private static let output = BodyField("outputTokens", .integer(0...largestTokens))
  static let fields = Fields(
    required: [user, total],
    optional: [operation, client, metadata, provider, model, input, output])

  private static let largestTokens: Int64 = 1_000_000_000_000
  /// The most that one report may cost: 10 million dollars, in nano-dollars. That is 10¹² tokens at
  /// 10 dollars a million. A report of more is a mistake, and would use up every budget in money.
  private static let largestCostNanoUSD: Int64 = 10_000_000_000_000_000
  /// The recorded provider and model of a report that names none.
  private static let unnamed = "external"

  let client: Client
  private let user: String?
  private let conversation: String?
  private let agent: String?
  private let metadata: String?
  private let operation: Operation
  private let model: PricedModel?
  private let modelName: String?
  private let provider: String?
  private let usage: Usage

  init(_ body: Body, _ call: Call) throws(APIError) {
    client = try ExternalUsageReport.client(in: body, call)
    let user = try body.require(ExternalUsageReport.user)
    self.user = body.value("clientId") == nil ? nil : user
    operation = try body.read(ExternalUsageReport.operation) ?? .chat
    usage = try ExternalUsageReport.usage(in: body)
    provider = try body.read(ExternalUsageReport.provider)
    modelName = try body.read(ExternalUsageReport.model)
    model = try ExternalUsageReport.model(modelName, of: provider, for: client, call)
    (metadata, conversation, agent) = try ExternalUsageReport.metadata(in: body)
  }

  /// The client that pays: the one of `clientId`, or without it the one of `userId`. A key may only
  /// name its own client.
  static func client(in body: Body, _ call: Call) throws(APIError) -> Client {
    let user = try body.require(user)
    let id = try body.read(client) ?? user
    try call.permit(id)
    return try call.client(id)
  }

  private static func usage(in body: Body) throws(APIError) -> Usage {
    let total = try body.require(total)
    let given = (input: try body.read(input), output: try body.read(output))
    let output = given.output ?? given.input.map { max(0, total - $0) } ?? 0
    let input = given.input ?? max(0, total - output)
    guard input + output == total, let usage = Usage(inputTokens: input, outputTokens: output)
    else {
      throw .invalidValue(
        "tokensUsed", allowed: "\(input + output), the sum of inputTokens and outputTokens")
    }
    return usage
  }

  private static func model(
    _ name: String?, of provider: String?, for client: Client, _ call: Call
  ) throws(APIError) -> PricedModel? {
    guard let name else { return nil }
    let providers = Set(call.server.prices.allModels.map(\.provider)).sorted()
    if let provider, !providers.contains(provider) {
      throw .invalidValue("provider", allowed: providers.joined(separator: ", "))
    }
    guard let model = call.server.model(name, of: provider, for: client.id) else {
      throw .invalidValue("model", allowed: "a model of the pricing files")
    }
    return model
  }

  private static func metadata(
    in body: Body
  ) throws(APIError) -> (text: String?, conversation: String?, agent: String?) {
    let value = body.value("metadata")
    return (
      try body.read(metadata),
      try text(value?["conversationId"], "metadata.conversationId"),
      try text(value?["agentId"], "metadata.agentId")
    )
  }

  private static func text(
    _ value: JSONValue?, _ name: String
  ) throws(APIError) -> String? {
    guard let value, !value.isNull else { return nil }
    guard let text = value.string, PlainText.isValid(text) else {
      throw .invalidValue(name, allowed: PlainText.rule)
    }
    return text
  }

  /// The ID of the row. With an idempotency key, every attempt gets the same ID, so a repeated
  /// report is recorded once.
  func requestID(of call: Call) -> RequestID {
    call.requestID(ofClient: client.id) ?? ExternalUsageReport.ids.next(at: call.now)
  }

  private static let ids = RequestIDSource()

  func external(_ id: RequestID, _ call: Call) throws(APIError) -> ExternalUsage {
    let rates = call.server.prices.rates
    let bill = try bill(at: call.now, call.clients.markup(of: client))
    let cost = try cost(of: bill)
    let billed = cost?.billed ?? Money(nanoUnits: 0, currency: rates.billing)
    let row = UsageRow(
      requestID: id, clientID: client.id, keyName: call.ownKey?.name ?? "", userID: user,
      conversationID: conversation, agentID: agent,
      provider: provider ?? model?.provider ?? ExternalUsageReport.unnamed,
      model: modelName ?? ExternalUsageReport.unnamed, operation: operation,
      endpoint: TokenBillingCalls.path + "process-usage", isStream: false, status: 200,
      outcome: .ok, usageSource: .external, usage: usage,
      costNanoUSD: cost?.nanoUSD.nanoUnits ?? 0,
      providerCostNanoUSD: cost?.provider.nanoUnits, cost: billed, priceVersion: bill?.version,
      metadata: metadata, createdAt: call.now,
      day: client.timeZone.civilDate(of: call.now))
    return ExternalUsage(
      row: row,
      caller: Caller(
        client: client.id, key: row.keyName, user: user ?? "", conversation: conversation ?? "",
        model: model?.name ?? row.model),
      consumption: Consumption(tokens: usage.totalTokens, cost: cost?.exact ?? .zero),
      rates: rates, priceRecord: bill?.record)
  }

  private func bill(at now: Timestamp, _ markup: Markup) throws(APIError) -> Bill? {
    guard let model else { return nil }
    do throws(PricingError) {
      return Bill(
        usage,
        by: try model.tariff(in: PricingContext(instant: now), inputTokens: usage.inputTokens),
        markup: markup)
    } catch {
      throw .invalidValue("model", allowed: "a model with a price today")
    }
  }

  private func cost(of bill: Bill?) throws(APIError) -> Cost? {
    guard let bill else { return nil }
    let cost: Cost
    do throws(PricingError) {
      cost = try bill.cost()
    } catch .amountTooLarge {
      throw ExternalUsageReport.tooDear
    } catch {
      throw .invalidValue("model", allowed: "a model priced by tokens")
    }
    let larger = max(cost.nanoUSD.nanoUnits, cost.provider.nanoUnits)
    guard larger <= ExternalUsageReport.largestCostNanoUSD else {
      throw ExternalUsageReport.tooDear
    }
    return cost
  }

  private static var tooDear: APIError {
    let most = Money(nanoUnits: largestCostNanoUSD, currency: .usd).shortestText
    return .invalidValue(
      "tokensUsed", allowed: "tokens that cost at most \(most) USD in one report")
  }
}
