internal import EventLoop
internal import Ledger
internal import Metering

/// Figures of each model from its recent answers: the usual length of an answer, the tokens a
/// second, and the tokens of a text.
///
/// The first serves the clamp (article Budgets) and soft budgets, the second all estimates.
final class ModelStatistics: Sendable {
  private let models = Lock<[ModelID: Record]>([:])

  private struct ModelID: Hashable {
    let provider: String
    let model: String
  }

  /// The figures by which a new request of a model is estimated.
  struct Expectation: Sendable {
    /// The 99th percentile of the recent outputs of one choice; nil before the first.
    var longOutput: Int64?
    /// Their mean, rounded up; nil before the first.
    var meanOutput: Int64?
    /// How many tokens its texts make.
    var rates: TokenRates
  }

  private struct Record {
    var outputs = OutputSizes()
    var generation = GenerationRate()
    var rates: TokenRates
  }

  /// Models that are remembered at most; one more than the price books of all providers have.
  private static let capacity = 4096

  func expectation(provider: String, model: String) -> Expectation {
    models.withLock { models in
      guard let record = models[ModelID(provider: provider, model: model)] else {
        return Expectation(rates: TokenRates(model: model))
      }
      return Expectation(
        longOutput: record.outputs.percentile99, meanOutput: record.outputs.mean,
        rates: record.rates)
    }
  }

  /// How fast the model writes.
  func generation(provider: String, model: String) -> GenerationRate {
    models.withLock { $0[ModelID(provider: provider, model: model)]?.generation }
      ?? GenerationRate()
  }

  /// Takes in the output tokens of one choice of an answer.
  ///
  /// - Parameters:
  ///   - milliseconds: from sending the request to the last byte; nil where that isn't the time in
  ///     which the answer was written.
  ///   - reasons: whether some of the output was thought and not shown.
  func noteOutput(
    _ tokens: Int64, in milliseconds: Int64?, reasons: Bool, provider: String, model: String
  ) {
    update(provider, model) { record in
      record.outputs.append(tokens)
      if let milliseconds { record.generation.learn(tokens: tokens, milliseconds: milliseconds) }
      if reasons { record.generation.noteReasoning() }
    }
  }

  /// Takes in how many tokens the provider made of a request's texts.
  func note(_ texts: MeasuredTexts, provider: String, model: String) {
    update(provider, model) { $0.rates.learn(from: texts) }
  }

  /// Takes in what the ledger remembers of the answers before this start.
  ///
  /// - Parameter model: as requests will name it, whatever alias the ledger has.
  func note(_ recent: RecentAnswers, model: String) {
    for answer in recent.answers {
      if answer.outputTokens > 0 {
        noteOutput(
          answer.outputTokens / answer.choices, in: answer.latencyMilliseconds,
          reasons: answer.reasons, provider: recent.provider, model: model)
      }
      note(MeasuredTexts(answer), provider: recent.provider, model: model)
    }
  }

  private func update(_ provider: String, _ model: String, _ change: (inout Record) -> Void) {
    let id = ModelID(provider: provider, model: model)
    models.withLock { models in
      if let place = models.index(forKey: id) {
        change(&models.values[place])
      } else if models.count < ModelStatistics.capacity {
        change(&models[id, default: Record(rates: TokenRates(model: model))])
      }
    }
  }
}

extension MeasuredTexts {
  fileprivate init(_ answer: RecentAnswers.Answer) {
    self.init(
      inputBytes: answer.inputTextBytes, inputTokens: answer.inputTokens,
      outputBytes: answer.outputTextBytes, outputTokens: answer.outputTextTokens)
  }
}

/// The output sizes of a model's last answers, kept in order of size for percentiles.
struct OutputSizes {
  private var arrivals: [Int64] = []
  private var oldest = 0
  private var sorted: [Int64] = []
  private var sum: Int64 = 0

  /// The percentile is over the last 1,000 outputs (article Budgets).
  static let capacity = 1000

  mutating func append(_ tokens: Int64) {
    if arrivals.count < OutputSizes.capacity {
      arrivals.append(tokens)
    } else {
      let leaving = arrivals[oldest]
      arrivals[oldest] = tokens
      oldest = (oldest + 1) % OutputSizes.capacity
      sorted.remove(at: position(of: leaving))
      sum -= leaving
    }
    sorted.insert(tokens, at: position(of: tokens))
    sum += tokens
  }

  /// The first place in `sorted` whose value isn't below `tokens`.
  private func position(of tokens: Int64) -> Int {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < tokens { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The smallest value that at least 99 % of the outputs don't exceed; nil if there are none.
  var percentile99: Int64? {
    sorted.isEmpty ? nil : sorted[(sorted.count * 99 + 99) / 100 - 1]
  }

  /// Rounded up; nil if there are none.
  var mean: Int64? {
    sorted.isEmpty ? nil : (sum + Int64(sorted.count) - 1) / Int64(sorted.count)
  }
}
