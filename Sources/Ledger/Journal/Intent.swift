public import Budgets
public import Money
public import Pricing
public import Time

/// A request that is about to be forwarded, and what to settle it with if Catraca is killed.
public struct Intent: Hashable, Sendable {
  /// What is recorded for a request whose end nobody saw: above zero, at most the hold.
  public struct Estimate: Hashable, Sendable {
    public var usage: Usage
    public var costNanoUSD: Int64
    /// What the provider charges, in nano US dollars.
    public var providerCostNanoUSD: Int64
    /// In the billing currency.
    public var cost: Money
    public var priceVersion: String?
    /// The prices named by `priceVersion`.
    public var priceRecord: String?
    /// What the estimate adds to the budgets that the request is held on.
    public var charges: [BudgetCharge]
    /// What the client's credits would pay of it.
    public var draws: [CreditDraw]

    /// - Parameter providerCostNanoUSD: nil where the provider charges `costNanoUSD`.
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

  /// How the request is settled when the process that forwarded it has died.
  package var interrupted: SettledRequest

  /// - Parameters:
  ///   - endpoint: the path without a provider prefix.
  ///   - metadata: a JSON object, as the app gave it.
  ///   - day: the civil day of `createdAt` in the client's time zone.
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
