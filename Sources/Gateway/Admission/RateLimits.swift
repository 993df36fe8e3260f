internal import Configuration
internal import EventLoop
internal import Time

/// Holds keys to their requests and tokens a minute.
///
/// Each limit is a bucket that fills evenly and holds a minute's worth. A request takes one from
/// the first; what it used is taken from the second when it is settled, which may leave a debt that
/// has to be filled up before the next request passes.
final class RateLimits: Sendable {
  /// The most buckets that are kept; full ones are forgotten before that.
  static let largestCount = 100_000

  private struct Name: Hashable {
    let client: String
    let key: String
    let unit: Unit
  }

  private enum Unit: Hashable {
    case requests, tokens
  }

  private let buckets = Lock<[Name: Bucket]>([:])

  /// Lets a request through, or says in how many whole seconds, at least 1, it may be tried again.
  ///
  /// - Parameter isFree: whether the request uses no tokens, so that a debt of tokens doesn't stop
  ///   it.
  func admit(
    _ key: ClientKey, of client: String, isFree: Bool = false, at now: Timestamp
  ) -> Int64? {
    guard key.requestsPerMinute != nil || key.tokensPerMinute != nil else { return nil }
    return buckets.withLock { buckets in
      if buckets.count >= RateLimits.largestCount {
        buckets = buckets.filter { !$0.value.isFull(at: now) }
      }
      // Tokens first: a request that they refuse must not take from the other bucket.
      if !isFree, let limit = key.tokensPerMinute {
        let name = Name(client: client, key: key.name, unit: .tokens)
        buckets[name, default: Bucket(limit: limit, at: now)].fill(limit: limit, at: now)
        if let wait = buckets[name]?.secondsUntil(1) { return wait }
      }
      if let limit = key.requestsPerMinute {
        let name = Name(client: client, key: key.name, unit: .requests)
        buckets[name, default: Bucket(limit: limit, at: now)].fill(limit: limit, at: now)
        if let wait = buckets[name]?.secondsUntil(1) { return wait }
        buckets[name]?.take(1)
      }
      return nil
    }
  }

  /// Takes what a settled request used.
  func use(_ tokens: Int64, by key: ClientKey, of client: String, at now: Timestamp) {
    guard let limit = key.tokensPerMinute else { return }
    let name = Name(client: client, key: key.name, unit: .tokens)
    buckets.withLock { buckets in
      buckets[name, default: Bucket(limit: limit, at: now)].fill(limit: limit, at: now)
      buckets[name]?.take(tokens)
    }
  }
}

/// The rest of a limit per minute, counted in 60,000ths, so that each millisecond adds a whole
/// number.
struct Bucket {
  private static let unit: Int64 = 60_000
  /// The deepest debt: an hour's worth.
  private static let deepestDebtMinutes: Int64 = 60

  private var limit: Int64
  private var level: Int64
  private var filledAt: Timestamp

  /// - Parameter limit: 1…10⁹ a minute.
  init(limit: Int64, at now: Timestamp) {
    self.limit = limit
    level = limit * Bucket.unit
    filledAt = now
  }

  private var capacity: Int64 { limit * Bucket.unit }

  /// Adds what time has brought. A changed limit is in force at once.
  mutating func fill(limit newLimit: Int64, at now: Timestamp) {
    limit = newLimit
    level = max(min(level, capacity), -capacity * Bucket.deepestDebtMinutes)
    let elapsed = now.milliseconds - filledAt.milliseconds
    guard elapsed > 0 else { return }
    filledAt = now
    let missing = capacity - level
    // More time than fills it needs no product, which could be too large.
    level = elapsed > missing / limit ? capacity : level + elapsed * limit
  }

  mutating func take(_ count: Int64) {
    let deepest = -capacity * Bucket.deepestDebtMinutes
    let (amount, overflow) = count.multipliedReportingOverflow(by: Bucket.unit)
    let (rest, underflow) = level.subtractingReportingOverflow(overflow ? .max : amount)
    level = overflow || underflow ? deepest : max(rest, deepest)
  }

  /// Whole seconds until the bucket has `count`, at least 1; nil if it has them now.
  func secondsUntil(_ count: Int64) -> Int64? {
    let missing = count * Bucket.unit - level
    guard missing > 0 else { return nil }
    let milliseconds = (missing + limit - 1) / limit
    return max(1, (milliseconds + 999) / 1000)
  }

  func isFull(at now: Timestamp) -> Bool {
    var filled = self
    filled.fill(limit: limit, at: now)
    return filled.level == filled.capacity
  }
}
