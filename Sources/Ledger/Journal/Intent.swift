public import Budgets
public import Money
public import Pricing
public import Time

/// A request that is about to be forwarded, with its settlement in case the process is killed.
public struct Intent: Hashable, Sendable {
  /// The recorded usage of a request whose end wasn't seen: above zero, and at most the hold.
  public struct Estimate: Hashable, Sendable {
    public var usage: Usage
    public var costNanoUSD: Int64
    /// The provider's charge in nano US dollars.
    public var providerCostNanoUSD: Int64
    /// The client's charge in the billing currency.
    public var cost: Money
    public var priceVersion: String?
    /// The prices that `priceVersion` names.
    public var priceRecord: String?
    /// The amounts that the estimate adds to the budgets with a hold for the request.
    public var charges: [BudgetCharge]
    /// The amounts that the client's credits would pay.
    public var draws: [CreditDraw]

    /// - Parameter providerCostNanoUSD: The provider's charge; nil if it equals `costNanoUSD`.
    public init(
      usage: Usage, costNanoUSD: Int64, providerCostNanoUSD: Int64? = nil, cost: Money,
      priceVersion: String?, priceRecord: String?, charges: [BudgetCharge],
      draws: [CreditDraw] = []
    ) {
      self.usage = usage
      self.costNanoUSD = costNanoUSD
      self.providerCostNanoUSD = providerCostNanoUSD ?? costNanoUSD
      self.cost = cost
      self.priceVersion = priceVersion
      self.priceRecord = priceRecord
      self.charges = charges
      self.draws = draws
    }
  }

  /// The settlement of the request if the process that forwarded it dies.
  package var interrupted: SettledRequest

  /// - Parameters:
  ///   - endpoint: The path without a provider prefix.
  ///   - metadata: A JSON object, as the app sent it.
  ///   - day: The civil day of `createdAt` in the client's time zone.
  public init(
    requestID: RequestID, clientID: String, keyName: String, userID: String? = nil,
    conversationID: String? = nil, agentID: String? = nil, provider: String, model: String,
    operation: Operation, endpoint: String, isStream: Bool, heldTokens: Int64,
    heldNanoUSD: Int64, estimate: Estimate, metadata: String? = nil, createdAt: Timestamp,
    day: CivilDate
  ) {
    interrupted = SettledRequest(
      row: UsageRow(
        requestID: requestID, clientID: clientID, keyName: keyName, userID: userID,
        conversationID: conversationID, agentID: agentID, provider: provider, model: model,
        operation: operation, endpoint: endpoint, isStream: isStream, status: 0,
        outcome: .interrupted, usageSource: .estimated, usage: estimate.usage,
        costNanoUSD: estimate.costNanoUSD, providerCostNanoUSD: estimate.providerCostNanoUSD,
        cost: estimate.cost, priceVersion: estimate.priceVersion, heldTokens: heldTokens,
        heldNanoUSD: heldNanoUSD, metadata: metadata, createdAt: createdAt, day: day),
      charges: estimate.charges, draws: estimate.draws, priceRecord: estimate.priceRecord)
  }
}
