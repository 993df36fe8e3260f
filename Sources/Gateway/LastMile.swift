internal import Budgets
internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Logging
internal import Metering
internal import Money
internal import Upstream

/// A budget's last mile (SPEC §4.5): a text's bound is its bytes, three to four times what it
/// uses. Where that doesn't fit any more and the likely size does, the provider is asked to count.
///
/// The count is a call of ours: it makes no row and costs nothing, and where it fails, the bound
/// stands.
struct LastMile {
  private let journey: Journey
  private let request: MeteredRequest
  private let offer: Offer
  private let count: InputCount

  /// How long the provider may take to count.
  private static let patience = Duration.seconds(5)
  /// The longest answer that is a count.
  private static let longestAnswer = 64 << 10

  /// Nil where a count wouldn't help, or can't be had.
  init?(
    of request: MeteredRequest, _ offer: Offer, _ verdict: AdmissionDesk.Verdict,
    on journey: Journey
  ) {
    guard case .denied(let denial) = verdict else { return nil }
    let bound = offer.demand.inputTokens
    let saved = bound - request.facts.estimatedInputTokens(by: offer.rates)
    guard saved > 0, LastMile.fits(denial, saving: saved, of: offer.demand),
      let count = InputCount(
        of: request.body, for: request.facts,
        dialect: ProviderDialect(provider: offer.provider.name), parser: journey.workbench.parser)
    else { return nil }
    self.journey = journey
    self.request = request
    self.offer = offer
    self.count = count
  }

  /// Whether the refused budget could pay, once all holds have ended, if the input were as large
  /// as it seems.
  private static func fits(_ denial: Denial, saving tokens: Int64, of demand: Demand) -> Bool {
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
  func countedOffer() async -> Offer? {
    guard let tokens = await ask() else { return nil }
    let counted = tokens + InputCount.margin(over: tokens)
    guard counted < offer.demand.inputTokens else { return nil }
    return try? Offer(for: request, in: journey, countedInput: counted)
  }

  private func ask() async -> Int64? {
    let call = OwnCall(
      provider: offer.provider, method: .post, path: count.path, body: .bytes(count.body),
      patience: LastMile.patience)
    do {
      let transfer = try call.start(on: journey.workbench.upstream)
      let head = try await transfer.head()
      guard head.status == 200 else {
        transfer.cancel()
        return nil
      }
      guard let answer = try await transfer.body(of: head, atMost: LastMile.longestAnswer) else {
        return nil
      }
      return InputCount.read(answer, parser: journey.workbench.parser)
    } catch {
      journey.gateway.logger.log(.debug, "input_not_counted") { line in
        journey.writeMembers(of: request, offer, to: &line)
        line.member("reason", "\(error)")
      }
      return nil
    }
  }
}
