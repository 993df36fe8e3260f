public import Money
public import Pricing
public import Time

/// One request that went to a provider, as `usage_logs` records it.
public struct UsageRow: Hashable, Sendable {
  public var requestID: RequestID
  public var clientID: String
  public var keyName: String
  public var userID: String?
  public var conversationID: String?
  public var agentID: String?
  public var provider: String
  /// The requested model.
  public var model: String
  /// The model that answered, by the provider's name.
  public var responseModel: String?
  public var operation: Operation
  /// The path without a provider prefix, for example `/v1/chat/completions`.
  public var endpoint: String
  public var isStream: Bool
  /// The HTTP status of the provider's answer; 0 if there was none.
  public var status: Int
  public var outcome: Outcome
  public var usageSource: UsageSource
  public var usage: Usage
  /// The client's charge in nano US dollars.
  public var costNanoUSD: Int64
  /// The provider's charge by the price book, in nano US dollars. Equals `costNanoUSD` if the
  /// client has neither its own prices nor a markup.
  public var providerCostNanoUSD: Int64
  /// The client's charge in the billing currency, rounded from the exact cost and not from
  /// `costNanoUSD`.
  public var cost: Money
  /// The prices that the cost was computed with; nil if nothing was priced.
  public var priceVersion: String?
  public var heldTokens: Int64
  public var heldNanoUSD: Int64
  /// The use above the hold; zero unless the bound was wrong.
  public var overrunTokens: Int64
  public var overrunNanoUSD: Int64
  /// The time from admission to the last byte.
  public var latencyMilliseconds: Int64?
  /// The time from forwarding to the first byte of the answer's content.
  public var timeToFirstTokenMilliseconds: Int64?
  /// The time that Catraca itself added.
  public var overheadMicroseconds: Int64?
  /// The number of calls that are billed separately from tokens, by kind, as a JSON object:
  /// `{"web_search":2}`. Nil if there were none, or if their kinds aren't known.
  public var toolCalls: String?
  /// A JSON object, as the app sent it.
  public var metadata: String?
  /// The estimate for comparison; nil if no usage was reported.
  public var estimateCheck: EstimateCheck?
  /// The time of the request's admission.
  public var createdAt: Timestamp
  /// The civil day of `createdAt` in the client's time zone.
  public var day: CivilDate

  /// - Parameter providerCostNanoUSD: The provider's charge; nil if it equals `costNanoUSD`.
  public init(
    requestID: RequestID, clientID: String, keyName: String, userID: String? = nil,
    conversationID: String? = nil, agentID: String? = nil, provider: String, model: String,
    responseModel: String? = nil, operation: Operation, endpoint: String, isStream: Bool,
    status: Int, outcome: Outcome, usageSource: UsageSource, usage: Usage, costNanoUSD: Int64,
    providerCostNanoUSD: Int64? = nil, cost: Money, priceVersion: String?, heldTokens: Int64 = 0,
    heldNanoUSD: Int64 = 0, overrunTokens: Int64 = 0, overrunNanoUSD: Int64 = 0,
    latencyMilliseconds: Int64? = nil, timeToFirstTokenMilliseconds: Int64? = nil,
    overheadMicroseconds: Int64? = nil, toolCalls: String? = nil,
    metadata: String? = nil, estimateCheck: EstimateCheck? = nil, createdAt: Timestamp,
    day: CivilDate
  ) {
    self.requestID = requestID
    self.clientID = clientID
    self.keyName = keyName
    self.userID = userID
    self.conversationID = conversationID
    self.agentID = agentID
    self.provider = provider
    self.model = model
    self.responseModel = responseModel
    self.operation = operation
    self.endpoint = endpoint
    self.isStream = isStream
    self.status = status
    self.outcome = outcome
    self.usageSource = usageSource
    self.usage = usage
    self.costNanoUSD = costNanoUSD
    self.providerCostNanoUSD = providerCostNanoUSD ?? costNanoUSD
    self.cost = cost
    self.priceVersion = priceVersion
    self.heldTokens = heldTokens
    self.heldNanoUSD = heldNanoUSD
    self.overrunTokens = overrunTokens
    self.overrunNanoUSD = overrunNanoUSD
    self.latencyMilliseconds = latencyMilliseconds
    self.timeToFirstTokenMilliseconds = timeToFirstTokenMilliseconds
    self.overheadMicroseconds = overheadMicroseconds
    self.toolCalls = toolCalls
    self.metadata = metadata
    self.estimateCheck = estimateCheck
    self.createdAt = createdAt
    self.day = day
  }
}

extension UsageRow {
  /// The provider's cost minus the client's cost; negative if the provider charges less.
  var providerDifference: Int64 {
    // The smallest integer has no opposite, and a replaced row adds the opposite.
    max(-.max, Int64(clamping: Int128(providerCostNanoUSD) - Int128(costNanoUSD)))
  }

  /// The SQL of `providerDifference` for a row of `usage_logs`.
  static let providerDifferenceColumn = "\(providerCostColumn) - cost_nano_usd"
  /// The SQL of a row's provider cost; NULL in the column means `cost_nano_usd`.
  static let providerCostColumn = "coalesce(provider_cost_nano_usd, cost_nano_usd)"
}
