internal import EventLoop
public import Ledger
internal import Time

/// Counts something of each client since the start, for metrics.
public final class ClientCounts: Sendable {
  private let counts = Lock<[String: Int64]>([:])

  func count(_ client: String) {
    counts.withLock { $0[client, default: 0] += 1 }
  }

  public var byClient: [(client: String, count: Int64)] {
    counts.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }
}

/// Bounds how many refusals of one client for one reason are written into the ledger and the log.
///
/// A client without a budget could otherwise fill a disk at no cost. Denials that aren't written
/// are counted. Example: of 1,500 refusals within a second, 300 are written, and 1,200 are counted;
/// a minute later 60 more may be written.
public final class DenialLimits: Sendable {
  /// How many are written at once after a quiet time.
  static let burst: Int64 = 300
  /// How many are written each second after those.
  static let perSecond: Int64 = 1

  private struct Kind: Hashable {
    let client: String
    let reason: DenialReason
  }

  private struct Written {
    var room = DenialLimits.burst
    var filledAt: Timestamp
    var unwritten: Int64 = 0
    /// Of `unwritten`, those that no line of the log has told.
    var untold: Int64 = 0
    var toldAt: Timestamp?
  }

  private let kinds = Lock<[Kind: Written]>([:])

  /// The decision about a refusal: to write it, or to count it.
  enum Verdict: Equatable {
    case write
    /// Only counted. Once a second the log tells how many came since it was told last.
    case count(tell: Int64?)
  }

  func verdict(client: String, reason: DenialReason, at now: Timestamp) -> Verdict {
    kinds.withLock { kinds in
      let kind = Kind(client: client, reason: reason)
      var written = kinds[kind] ?? Written(filledAt: now)
      defer { kinds[kind] = written }
      let seconds = max(0, now.milliseconds - written.filledAt.milliseconds) / 1000
      if seconds > 0 {
        let added = min(seconds, DenialLimits.burst) * DenialLimits.perSecond
        written.room = min(DenialLimits.burst, written.room + added)
        written.filledAt = now
      }
      if written.room > 0 {
        written.room -= 1
        return .write
      }
      written.unwritten += 1
      written.untold += 1
      if let told = written.toldAt, now.milliseconds - told.milliseconds < 1000 {
        return .count(tell: nil)
      }
      defer { written.untold = 0 }
      written.toldAt = now
      return .count(tell: written.untold)
    }
  }

  /// Refusals since the start that were counted alone.
  public var unwritten: [(client: String, reason: DenialReason, count: Int64)] {
    kinds.withLock { kinds in
      kinds.compactMap { kind, written in
        written.unwritten > 0 ? (kind.client, kind.reason, written.unwritten) : nil
      }
    }
    .sorted { ($0.client, $0.reason.rawValue) < ($1.client, $1.reason.rawValue) }
  }
}
