/// How fast a model writes, learned from its whole answers: for estimates of answers whose end
/// nobody saw.
///
/// One answer's rate is its output tokens divided by the time from sending its request to its last
/// byte. The highest rate counts, since an estimate should rather be above what the provider bills
/// than below. It fades with each further answer, so that one odd answer isn't remembered for ever.
///
/// Example: an answer of 2,000 tokens took 20 seconds, so the model writes 100 tokens a second. A
/// request that is given up after 8 seconds is estimated at 800 tokens, whether or not any text of
/// it came. A model that reasons makes such tokens without showing them.
struct GenerationRate: Sendable, Hashable {
  /// Output tokens in 1,000 seconds.
  private var tokensPerKilosecond: Int64 = 0
  /// Answers that taught something, counted up to `fewestAnswers`.
  private var answerCount = 0
  /// Whether the model was seen to reason: its output then is more than the text that it shows.
  private(set) var reasons = false

  /// The rate of a model that has shown too little: above the fastest that providers publish.
  private static let assumedTokensPerKilosecond: Int64 = 1_000_000
  /// The answers after which a learned rate that is slower than the assumed one counts.
  private static let fewestAnswers = 8
  /// A shorter answer teaches nothing: its time is the network's, more than the model's.
  private static let leastTokens: Int64 = 100
  /// Each answer takes a 256th from the rate of faster ones before it.
  private static let fading: Int64 = 256
  /// Faster than a million tokens a second is an answer that the provider had in store.
  private static let mostTokensPerKilosecond: Int64 = 1_000_000_000

  /// Takes in one choice of a whole answer.
  ///
  /// - Parameters:
  ///   - tokens: its output tokens, those that it thought included.
  ///   - milliseconds: from sending the request to the last byte.
  mutating func learn(tokens: Int64, milliseconds: Int64) {
    guard tokens >= GenerationRate.leastTokens else { return }
    let product = Int128(tokens) * 1_000_000 / Int128(max(1, milliseconds))
    let seen = min(Int64(clamping: product), GenerationRate.mostTokensPerKilosecond)
    let faded = tokensPerKilosecond - tokensPerKilosecond / GenerationRate.fading
    tokensPerKilosecond = max(seen, faded)
    answerCount = min(answerCount + 1, GenerationRate.fewestAnswers)
  }

  /// Takes in that the model has reasoned.
  mutating func noteReasoning() {
    reasons = true
  }

  /// Whether the text that the model shows is all that it writes: it has answered often enough, and
  /// never reasoned.
  var writesOnlyText: Bool { answerCount == GenerationRate.fewestAnswers && !reasons }

  /// The most tokens that one choice is believed to have after this time, rounded up.
  func tokens(in time: Duration) -> Int64 {
    let milliseconds = Int128(max(0, time.wholeMilliseconds))
    let product = Int128(rate) * milliseconds + 999_999
    return Int64(clamping: product / 1_000_000)
  }

  private var rate: Int64 {
    answerCount < GenerationRate.fewestAnswers
      ? max(tokensPerKilosecond, GenerationRate.assumedTokensPerKilosecond) : tokensPerKilosecond
  }
}
