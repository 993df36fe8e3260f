internal import Budgets
internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Logging
internal import Metering
internal import Money
internal import Upstream

/// The exact count near a limit (article Budgets).
///
/// A text's bound is its bytes, three to four times its tokens. If the bound doesn't fit and the
/// likely size does, Catraca asks the provider to count.
///
/// The count is a call of ours: it makes no row and costs nothing, and where it fails, the bound
/// stands.
struct ProviderTokenCount {
  private let pipeline: RequestPipeline
  private let request: MeteredRequest
  private let quote: Quote
  private let count: InputCount

  /// How long the provider may take to count.
  private static let patience = Duration.seconds(5)
  /// The longest answer that is a count.
  private static let longestAnswer = 64 << 10

  /// Nil where a count wouldn't help, or can't be had.
  init?(
    of request: MeteredRequest, _ quote: Quote, _ verdict: AdmissionController.Verdict,
    on pipeline: RequestPipeline
  ) {
    guard case .denied(let denial) = verdict else { return nil }
    let bound = quote.demand.inputTokens
    let saved = bound - request.facts.estimatedInputTokens(by: quote.rates)
    guard saved > 0, ProviderTokenCount.fits(denial, saving: saved, of: quote.demand),
      let count = InputCount(
        of: request.body, for: request.facts,
        dialect: ProviderDialect(provider: quote.provider.name), parser: pipeline.resources.parser)
    else { return nil }
    self.pipeline = pipeline
    self.request = request
    self.quote = quote
    self.count = count
  }

  /// Whether the refused budget could pay, once all holds have ended, if the input were as large
  /// as it seems. A `soft` budget refuses every request once its limit is reached, however small
  /// the request is.
  private static func fits(_ denial: Denial, saving tokens: Int64, of demand: Demand) -> Bool {
    guard denial.definition.enforcement == .hard else { return false }
    let saved: Int64
    switch (denial.reason, denial.unit) {
    case (.tokenLimit, _): saved = tokens
    case (.costLimit, .nanoUnits(let currency)):
      let share = ExactAmount(
        units: demand.fixedCost.units / Int128(max(1, demand.inputTokens)) * Int128(tokens))
      guard let rate = demand.rates.rate(of: currency),
        let money = share.roundedUp(in: currency, rate: rate)
      else { return false }
      saved = money.nanoUnits
    case (.costLimit, _), (.conversationLimit, _), (.paused, _), (.contended, _): return false
    }
    return denial.requested - saved <= denial.limit - denial.used
  }

  /// The offer by the provider's count; nil where it couldn't be had or isn't lower.
  func countedQuote() async -> Quote? {
    guard let tokens = await ask() else { return nil }
    let counted = tokens + InputCount.margin(over: tokens)
    guard counted < quote.demand.inputTokens else { return nil }
    return try? Quote(for: request, in: pipeline, countedInput: counted)
  }

  private func ask() async -> Int64? {
    let call = OwnCall(
      provider: quote.provider, method: .post, path: count.path, body: .bytes(count.body),
      patience: ProviderTokenCount.patience)
    do {
      let transfer = try call.start(on: pipeline.resources.upstream)
      let head = try await transfer.head()
      guard head.status == 200 else {
        transfer.cancel()
        return nil
      }
      guard let answer = try await transfer.body(of: head, atMost: ProviderTokenCount.longestAnswer)
      else {
        return nil
      }
      return InputCount.read(answer, parser: pipeline.resources.parser)
    } catch {
      pipeline.gateway.logger.log(.debug, "input_not_counted") { line in
        pipeline.writeMembers(of: request, quote, to: &line)
        line.member("reason", "\(error)")
      }
      return nil
    }
  }
}
