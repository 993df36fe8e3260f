public import Money

/// Tokens, and what they cost exactly, before any currency or rounding.
public struct Consumption: Hashable, Sendable {
  public let tokens: Int64
  public let cost: ExactAmount

  /// Neither is ever negative: metering refuses such reports.
  public init(tokens: Int64, cost: ExactAmount) {
    precondition(tokens >= 0 && cost >= .zero, "consumption is never negative")
    self.tokens = tokens
    self.cost = cost
  }

  public static let zero = Consumption(tokens: 0, cost: .zero)

  /// The same in a budget's currency, rounded up once, at the nano-unit; the largest number where
  /// it is larger, which no budget can pay for.
  func spend(in currency: Currency, at rate: FixedDecimal) -> Spend {
    let money = cost.roundedUp(in: currency, rate: rate)
    return Spend(tokens: tokens, nanoUnits: money?.nanoUnits ?? .max)
  }
}

/// What one request asks of its budgets: its bound as a function of the output it is allowed.
public struct Demand: Sendable {
  /// The most input tokens that the request can use.
  public let inputTokens: Int64
  /// The most that everything but the output can cost.
  public let fixedCost: ExactAmount
  /// The most that one output token can cost.
  public let outputTokenCost: ExactAmount
  /// Answers asked for at once, each with its own output.
  public let choices: Int64
  /// The most output tokens of one answer: the request's own limit, else the model's.
  public let largestOutput: Int64
  /// Whether the request sets its own limit, which is never changed.
  public let limitIsExplicit: Bool
  /// The 99th percentile of the model's recent outputs; nil while unknown.
  public let recentOutput: Int64?
  /// What a request like this uses as a rule, which is what `soft` budgets hold.
  public let estimate: Consumption
  /// The rates in force when the request came, by which it is held and settled.
  public let rates: ExchangeRates

  public init(
    inputTokens: Int64, fixedCost: ExactAmount, outputTokenCost: ExactAmount, choices: Int64,
    largestOutput: Int64, limitIsExplicit: Bool, recentOutput: Int64?, estimate: Consumption,
    rates: ExchangeRates
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
  }

  /// The most that the request can use with `output` tokens for each of its answers.
  public func bound(output: Int64) -> Consumption {
    let outputTokens = choices.multipliedSaturating(by: output)
    return Consumption(
      tokens: inputTokens.addingSaturating(outputTokens),
      cost: fixedCost + outputTokenCost * outputTokens)
  }

  /// The least output with which the request is let through.
  var leastOutput: Int64 {
    limitIsExplicit
      ? largestOutput : Clamp.leastOutput(usual: usualOutput, largest: largestOutput)
  }

  var usualOutput: Int64 { Clamp.usualOutput(recent: recentOutput) }

  /// The output tokens of each answer that `remaining` tokens pay for, at most the largest; nil if
  /// they don't even pay for what comes before the output.
  func output(within remaining: Int64) -> Int64? {
    guard remaining >= inputTokens else { return nil }
    return min(largestOutput, (remaining - inputTokens) / choices)
  }

  /// The same for money.
  func output(within remaining: Money, at rate: FixedDecimal) -> Int64? {
    let affordable = ExactAmount(within: remaining, rate: rate)
    let output = affordable.quantity(at: outputTokenCost * choices, after: fixedCost)
    return output.map { min(largestOutput, $0) }
  }
}
