internal import Budgets
internal import Metering
internal import Money
internal import Pricing

/// The most that the requests of a batch may use together.
struct BatchSum {
  struct First {
    let model: String
    let quote: Quote
  }

  private(set) var lines: Int64 = 0
  private(set) var first: First?
  /// The model by which lines draw that declare a tool for it.
  private(set) var imageToolModel: String?
  /// Whether the provider may keep answers to lines.
  private(set) var keepsAnswers = false
  /// Whether lines name users or conversations.
  private(set) var linesNameCallers = false
  /// As far as their expected input follows from it.
  private(set) var input = InputSize()
  private(set) var inputTokens: Int64 = 0
  private(set) var outputTokens: Int64 = 0
  private(set) var cost = ExactAmount.zero
  private(set) var estimate = Consumption.zero
  /// The parts of the users and of the conversations that lines name.
  private(set) var parts = DemandParts()

  /// The kinds of subjects that budgets count.
  private let kinds: Set<BudgetDefinition.Per>

  /// The most users, and the most conversations, of a batch whose budgets count them. Each has a
  /// hold of its own, which the ledger records with the batch.
  static let mostSubjects = 1_000

  init(countingBy kinds: Set<BudgetDefinition.Per>) {
    self.kinds = kinds
  }

  var namesFewEnough: Bool {
    max(parts.users.count, parts.conversations.count) <= BatchSum.mostSubjects
  }

  /// - Parameter caller: The names of the batch's header fields, which go before those of a line.
  mutating func add(_ facts: RequestFacts, _ quote: Quote, of caller: Caller) {
    lines += 1
    if first == nil { first = First(model: facts.model, quote: quote) }
    imageToolModel = imageToolModel ?? facts.imageToolModel
    keepsAnswers = keepsAnswers || facts.keepsObjects
    linesNameCallers = linesNameCallers || facts.user != nil || facts.conversation != nil
    let demand = quote.demand
    let bound = demand.bound(output: demand.largestOutput)
    input.textBytes += facts.input.textBytes
    input.messages += facts.input.messages
    inputTokens = inputTokens.addingClamped(demand.inputTokens)
    outputTokens = outputTokens.addingClamped(bound.tokens - demand.inputTokens)
    cost += bound.cost
    estimate = Consumption(
      tokens: estimate.tokens.addingClamped(demand.estimate.tokens),
      cost: estimate.cost + demand.estimate.cost)
    let part = DemandPart(bound: bound, estimate: demand.estimate)
    if kinds.contains(.user) {
      parts.add(part, ofUser: caller.user.isEmpty ? facts.user ?? "" : caller.user)
    }
    if kinds.contains(.conversation) {
      parts.add(
        part,
        ofConversation: caller.conversation.isEmpty
          ? facts.conversation ?? "" : caller.conversation)
    }
  }
}

extension Quote {
  /// A batch's: the sum of its requests' bounds, none of which may be cut short.
  convenience init(sumOf sum: BatchSum, like first: Quote, rates: ExchangeRates) {
    self.init(
      like: first,
      demand: Demand(
        inputTokens: sum.inputTokens, fixedCost: sum.cost, outputTokenCost: .zero, choices: 1,
        largestOutput: sum.outputTokens, limitIsExplicit: true, recentOutput: nil,
        estimate: sum.estimate, rates: rates, parts: sum.linesNameCallers ? sum.parts : nil))
  }
}
