internal import Glibc

/// An instant in UTC, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// The ledger's `created_at` and every window of a budget use it. Durations are `Swift.Duration`.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, negative before.
  public let milliseconds: Int64

  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The instant that the system's real-time clock shows now. No other code reads that clock.
  ///
  /// Pure code takes an instant as a parameter instead.
  public static func readSystemClock() -> Timestamp {
    var time = timespec()
    let status = unsafe clock_gettime(CLOCK_REALTIME, &time)
    precondition(status == 0, "every Linux has a real-time clock")
    return Timestamp(
      milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The instant `duration` after this one. A part below a millisecond is dropped. If a `Timestamp`
  /// can't hold the result, the nearest one that it can hold.
  public func advanced(by duration: Duration) -> Timestamp {
    let (seconds, attoseconds) = duration.components
    let exact =
      Int128(milliseconds) + Int128(seconds) * 1000
      + Int128(attoseconds / 1_000_000_000_000_000)
    return Timestamp(milliseconds: Int64(clamping: exact))
  }

  /// The duration from `other` to this instant; negative if `other` is later.
  public func elapsed(since other: Timestamp) -> Duration {
    .milliseconds(milliseconds) - .milliseconds(other.milliseconds)
  }
}

/// The date and time that clocks show at an instant, for an offset from UTC in seconds.
struct WallClock {
  let date: CivilDate
  let millisecondOfDay: Int

  init(_ instant: Timestamp, offsetSeconds: Int) {
    let shown = min(
      max(instant.milliseconds.addingClamped(Int64(offsetSeconds) * 1000), WallClock.earliest),
      WallClock.latest)
    let day = shown.flooredDivision(by: WallClock.millisecondsPerDay)
    date = CivilDate(daysSinceEpoch: Int(day))
    millisecondOfDay = Int(shown - day * WallClock.millisecondsPerDay)
  }

  var millisecond: Int { millisecondOfDay % 1000 }

  /// Appends `2026-11-22T07:30:00`.
  func append(to text: inout OutputSpan<UInt8>) {
    let second = millisecondOfDay / 1000
    date.append(to: &text)
    text.append(UInt8(ascii: "T"))
    text.append(second / 3600, digits: 2)
    text.append(ASCIIByte.colon)
    text.append(second / 60 % 60, digits: 2)
    text.append(ASCIIByte.colon)
    text.append(second % 60, digits: 2)
  }

  static let millisecondsPerDay: Int64 = 86_400_000
  /// 0001-01-01T00:00:00.000 and 9999-12-31T23:59:59.999.
  private static let earliest = Int64(CivilDate.first.daysSinceEpoch) * millisecondsPerDay
  private static let latest = Int64(CivilDate.last.daysSinceEpoch + 1) * millisecondsPerDay - 1
}

extension Int64 {
  /// The sum; if an `Int64` can't hold it, the nearest number that it can hold.
  func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  /// The quotient rounded down, also below zero: -1 divided by 2 is -1.
  func flooredDivision(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
