public import Money

/// A number of tokens and their exact cost in dollars, before conversion and rounding.
public struct Consumption: Hashable, Sendable {
  public let tokens: Int64
  public let cost: ExactAmount

  /// Creates a consumption. Both figures must be zero or more: metering refuses negative reports.
  public init(tokens: Int64, cost: ExactAmount) {
    precondition(tokens >= 0 && cost >= .zero, "consumption is never negative")
    self.tokens = tokens
    self.cost = cost
  }

  public static let zero = Consumption(tokens: 0, cost: .zero)

  /// Converts the consumption into a budget's currency, rounded up once to the nano-unit.
  ///
  /// If the amount exceeds `Int64`, the result is the largest number, which no budget can pay for.
  func spend(in currency: Currency, at rate: FixedDecimal) -> Spend {
    let money = cost.roundedUp(in: currency, rate: rate)
    return Spend(tokens: tokens, nanoUnits: money?.nanoUnits ?? .max)
  }
}

/// The demand of one request on its budgets: its bound as a function of the allowed output.
public struct Demand: Sendable {
  /// Upper bound of the input tokens.
  public let inputTokens: Int64
  /// Upper bound of all costs except the output's.
  public let fixedCost: ExactAmount
  /// Upper bound of the price of one output token.
  public let outputTokenCost: ExactAmount
  /// The number of answers requested at once; each has its own output.
  public let choices: Int64
  /// The largest output of one answer, in tokens: the request's own limit, or the model's.
  public let largestOutput: Int64
  /// Whether the request sets its own limit. Catraca never changes that limit.
  public let limitIsExplicit: Bool
  /// The 99th percentile of the model's recent outputs, in tokens; nil while unknown.
  public let recentOutput: Int64?
  /// The usual use of a request like this one. `soft` budgets hold this amount.
  public let estimate: Consumption
  /// The exchange rates at the request's arrival. Both its hold and its settlement use them.
  public let rates: ExchangeRates
  /// The parts of several users or conversations; nil for a request of one. A request with parts
  /// sets its own limit.
  public let parts: DemandParts?

  public init(
    inputTokens: Int64, fixedCost: ExactAmount, outputTokenCost: ExactAmount, choices: Int64,
    largestOutput: Int64, limitIsExplicit: Bool, recentOutput: Int64?, estimate: Consumption,
    rates: ExchangeRates, parts: DemandParts? = nil
  ) {
    precondition(
      inputTokens >= 0 && choices >= 1 && largestOutput >= 0 && (recentOutput ?? 0) >= 0
        && fixedCost >= .zero && outputTokenCost >= .zero,
      "a demand is never negative")
    self.inputTokens = inputTokens
    self.fixedCost = fixedCost
    self.outputTokenCost = outputTokenCost
    self.choices = choices
    self.largestOutput = largestOutput
    self.limitIsExplicit = limitIsExplicit
    self.recentOutput = recentOutput
    self.estimate = estimate
    self.rates = rates
    self.parts = parts
  }

  /// Returns the upper bound of the request's use with `output` tokens for each of its answers.
  public func bound(output: Int64) -> Consumption {
    let outputTokens = choices.multipliedSaturating(by: output)
    return Consumption(
      tokens: inputTokens.addingSaturating(outputTokens),
      cost: fixedCost + outputTokenCost * outputTokens)
  }

  /// The smallest output with which the request is admitted, in tokens.
  var leastOutput: Int64 {
    limitIsExplicit
      ? largestOutput : Clamp.leastOutput(usual: usualOutput, largest: largestOutput)
  }

  var usualOutput: Int64 { Clamp.usualOutput(recent: recentOutput) }

  /// Returns the output tokens of each answer that `remaining` tokens pay for, at most
  /// `largestOutput`; nil if they don't pay for the input.
  func output(within remaining: Int64) -> Int64? {
    guard remaining >= inputTokens else { return nil }
    return min(largestOutput, (remaining - inputTokens) / choices)
  }

  /// Returns the output tokens of each answer that `remaining` money pays for, at most
  /// `largestOutput`; nil if it doesn't pay for the fixed cost.
  func output(within remaining: Money, at rate: FixedDecimal) -> Int64? {
    let affordable = ExactAmount(within: remaining, rate: rate)
    let output = affordable.quantity(at: outputTokenCost * choices, after: fixedCost)
    return output.map { min(largestOutput, $0) }
  }
}
