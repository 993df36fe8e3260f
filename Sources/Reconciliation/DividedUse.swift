internal import JSON
internal import Ledger
internal import Money
internal import Pricing

/// Recorded rows, divided as a provider's report divides them: by the models that did the work, and
/// by what a bill has lines for.
struct DividedUse {
  /// The part of one model.
  struct Part {
    /// The price book's name of a model that worked beside the answering one, such as a tool that
    /// draws; nil for the answering model.
    let model: String?
    var inputTokens: Int64 = 0
    var cachedTokens: Int64 = 0
    var outputTokens: Int64 = 0
    var costs = Costs()

    var cost: ExactAmount { costs.values.reduce(.zero, +) }
  }

  /// Exact costs, by what they are for.
  typealias Costs = [ReconciledQuantity: ExactAmount]

  /// The answering model's part is the first.
  private(set) var parts: [Part] = []
  /// Whether the cost is divided.
  private(set) var isDivided = false
  /// The costs of calls of tools.
  private(set) var toolCosts = Costs()

  /// - Parameter priceRecord: The record of the rows' price version. Without one, or if it can't be
  ///   read, the answering model has all tokens, and no cost is divided.
  init(_ use: ProviderUse, priceRecord: String?) {
    guard let priceRecord, let usage = use.usage,
      let bill = try? Bill(record: priceRecord, of: usage, rows: use.rows)
    else {
      var part = Part(model: nil)
      part.inputTokens = use.inputTokens
      part.cachedTokens = use.cachedTokens
      part.outputTokens = use.outputTokens
      parts = [part]
      return
    }
    isDivided = true
    var calls = CallKinds(use)
    let answering = bill.items[0].tariff.origin.model
    for item in bill.items {
      let name = item.tariff.origin.model
      add(item, of: name == answering ? nil : name, &calls)
    }
    addSound(of: use)
  }

  /// The rows' cost without that of the models that worked beside the answering one.
  func costOfAnsweringModel(_ use: ProviderUse) -> ExactAmount {
    let others = parts.dropFirst().reduce(.zero) { $0 + $1.cost }
    return ExactAmount(
      units: max(ExactAmount(nanoUSD: use.providerCostNanoUSD).units - others.units, 0))
  }

  private mutating func add(_ item: Bill.Item, of model: String?, _ calls: inout CallKinds) {
    let index = parts.firstIndex { $0.model == model } ?? parts.count
    if index == parts.count { parts.append(Part(model: model)) }
    parts[index].inputTokens += item.usage.inputTokens
    parts[index].cachedTokens += item.usage.cachedInputTokens
    parts[index].outputTokens += item.usage.outputTokens
    let tool = item.usage.calls > 0 ? calls.take(item.usage.calls) : nil
    for line in item.providerLines {
      if let charge = line.quantity.billCharge {
        parts[index].costs[charge, default: .zero] += line.cost
      } else if let tool {
        toolCosts[tool, default: .zero] += line.cost
      }
    }
  }

  /// Sets the cost of sound to what is left of the rows' cost. A minimum applies to the sound of
  /// each row, which the sums don't show.
  private mutating func addSound(of use: ProviderUse) {
    guard use.audioMilliseconds > 0, parts[0].costs[.mediaCost] != nil else { return }
    let others =
      parts.flatMap(\.costs.values).reduce(.zero, +).units
      - (parts[0].costs[.mediaCost]?.units ?? 0)
      + toolCosts.values.reduce(.zero, +).units
    let rest = ExactAmount(nanoUSD: use.providerCostNanoUSD).units - others
    parts[0].costs[.mediaCost] = ExactAmount(units: max(rest, 0))
  }
}

/// The kinds of a row's calls, of which a bill says the numbers alone.
private struct CallKinds {
  private var left: [(kind: ReconciledQuantity?, count: Int64)] = []

  init(_ use: ProviderUse) {
    guard let text = use.toolCalls, let kinds = try? JSONParser().parse(Array(text.utf8)) else {
      return
    }
    left = kinds.members.compactMap { member in
      guard let name = member.key.string, let count = member.value.integer else { return nil }
      let (all, overflow) = count.multipliedReportingOverflow(by: use.rows)
      return overflow ? nil : (ReconciledQuantity(costOfCalls: name), all)
    }
  }

  /// Takes the calls of a bill's next item; nil if their kind isn't known. The items stand in the
  /// order of the kinds. A kind with several prices, such as containers of two sizes, has several
  /// items.
  mutating func take(_ count: Int64) -> ReconciledQuantity? {
    let exact = left.firstIndex { $0.count == count }
    guard let index = exact ?? left.firstIndex(where: { $0.count > count }) else { return nil }
    let kind = left[index].kind
    left[index].count -= count
    if left[index].count == 0 { left.remove(at: index) }
    return kind
  }
}

extension PricedQuantity {
  /// The name that a bill has for the cost of the quantity; nil for calls: the bill names their
  /// tools.
  fileprivate var billCharge: ReconciledQuantity? {
    switch self {
    case .input: .inputCost
    case .cachedInput: .cachedInputCost
    case .cacheWrite, .cacheWriteLong: .cacheWriteCost
    case .audioInput: .audioInputCost
    case .imageInput: .imageInputCost
    case .output: .outputCost
    case .audioOutput: .audioOutputCost
    case .imageOutput: .imageOutputCost
    case .minute, .second, .character, .image: .mediaCost
    case .call: nil
    }
  }
}
