internal import EventLoop
internal import JSON
internal import Ledger
internal import Logging
public import Pricing
internal import Time

/// Counts requests since the start that needed a price which is missing, for metrics, and keeps the
/// log from repeating itself.
public final class MissingPriceCounts: Sendable {
  private struct Counted: Hashable {
    let provider: String
    let kind: PriceDimension.Kind
  }

  private struct State {
    var counts: [Counted: Int64] = [:]
    var toldAt: [MissingPrice: Timestamp] = [:]
  }

  private let state = Lock(State())

  /// How long the log is silent about a price that it has told.
  static let silence = Duration.seconds(3600)
  /// Prices that the log has told and that are remembered. If all were told within `silence`,
  /// further ones are only counted: requests can name any model.
  static let mostRemembered = 1_000

  /// Returns whether the log should tell it.
  func note(_ price: MissingPrice, at now: Timestamp) -> Bool {
    state.withLock { state in
      state.counts[Counted(provider: price.provider, kind: price.dimension.kind), default: 0] += 1
      if let told = state.toldAt[price], MissingPriceCounts.isSilent(since: told, at: now) {
        return false
      }
      if state.toldAt.count >= MissingPriceCounts.mostRemembered {
        state.toldAt = state.toldAt.filter { MissingPriceCounts.isSilent(since: $0.value, at: now) }
        guard state.toldAt.count < MissingPriceCounts.mostRemembered else { return false }
      }
      state.toldAt[price] = now
      return true
    }
  }

  private static func isSilent(since told: Timestamp, at now: Timestamp) -> Bool {
    let age = now.elapsed(since: told)
    return age >= .zero && age < silence
  }

  public var counts: [(provider: String, kind: PriceDimension.Kind, count: Int64)] {
    state.withLock { $0.counts.map { ($0.key.provider, $0.key.kind, $0.value) } }
      .sorted { ($0.provider, $0.kind.rawValue) < ($1.provider, $1.kind.rawValue) }
  }
}

extension Gateway {
  /// Notes that a request needed a price which is missing: for the ledger, metrics and the log.
  func note(
    _ price: MissingPrice, _ outcome: MissingPriceSighting.Outcome, client: String?,
    at instant: Timestamp
  ) {
    let sighting = MissingPriceSighting(price, clientID: client, outcome: outcome, at: instant)
    ledger.record(sighting)
    guard missingPrices.note(sighting.price, at: instant) else { return }
    logger.log(.warn, "price_missing") { line in
      line.member("provider", sighting.price.provider)
      line.member("model", sighting.price.model)
      line.member("kind", sighting.price.dimension.kind.rawValue)
      line.member("name", sighting.price.dimension.name)
      line.member("outcome", outcome.rawValue)
      line.member("client", client)
    }
  }

  /// Notes the missing price, if a missing price is the reason of a refusal.
  func noteMissingPrice(_ refusal: Refusal, client: String?, at instant: Timestamp) {
    switch refusal {
    case .modelNotPriced(_, _, let price): note(price, .refused, client: client, at: instant)
    case .batchLine(_, let refusal): noteMissingPrice(refusal, client: client, at: instant)
    default: break
    }
  }

  /// Tells the operator and the ledger what has no price in the answer to a request.
  ///
  /// - Parameter members: writes whose request it is.
  func note(
    _ gap: PricingGap, of row: (client: String, instant: Timestamp),
    members: (inout JSONWriter) -> Void
  ) {
    gap.write(to: logger, members: members)
    for (price, outcome) in gap.missing {
      note(price, outcome, client: row.client, at: row.instant)
    }
  }
}
