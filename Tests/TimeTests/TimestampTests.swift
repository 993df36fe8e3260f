import Testing
import Time

@Suite struct TimestampTests {
  @Test(
    "An instant is written in UTC with milliseconds, and read back the same",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (1_795_332_600_123, "2026-11-22T07:30:00.123Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func text(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).rfc3339 == text)
    #expect(Timestamp(rfc3339: text) == Timestamp(milliseconds: milliseconds))
    #expect(text.utf8.count == 24)
  }

  @Test("Instants outside the years 1 to 9999 are written as the nearest inside")
  func extremes() {
    #expect(Timestamp(milliseconds: .max).rfc3339 == "9999-12-31T23:59:59.999Z")
    #expect(Timestamp(milliseconds: .min).rfc3339 == "0001-01-01T00:00:00.000Z")
  }

  @Test(
    "Offsets and decimals are read",
    arguments: [
      ("2026-12-01T00:00:00-03:00", "2026-12-01T03:00:00.000Z"),
      ("2026-12-01T05:45:00+05:45", "2026-12-01T00:00:00.000Z"),
      ("2026-12-01t00:00:00z", "2026-12-01T00:00:00.000Z"),
      ("2026-12-01T00:00:00.5Z", "2026-12-01T00:00:00.500Z"),
      ("2026-12-01T00:00:00.123999999Z", "2026-12-01T00:00:00.123Z"),
    ])
  func read(text: String, utc: String) {
    #expect(Timestamp(rfc3339: text)?.rfc3339 == utc)
  }

  @Test(
    "What isn't RFC 3339 is refused",
    arguments: [
      "", "2026-12-01", "2026-12-01T00:00:00", "2026-12-01 00:00:00Z", "2026-12-01T24:00:00Z",
      "2026-12-01T00:60:00Z", "2026-12-01T00:00:60Z", "2026-02-29T00:00:00Z",
      "2026-12-01T00:00:00.Z", "2026-12-01T00:00:00+3:00", "2026-12-01T00:00:00+0300",
      "2026-12-01T00:00:00Z ", "+026-12-01T00:00:00Z", "0000-01-01T00:00:00Z",
      "2026-12-01T00:00:00+24:00", "２026-12-01T00:00:00Z",
    ])
  func refused(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test("Durations move an instant and never overflow")
  func arithmetic() {
    let instant = Timestamp(milliseconds: 1_000)
    #expect(instant.advanced(by: .milliseconds(-1_500)).milliseconds == -500)
    #expect(instant.advanced(by: .microseconds(1_999)).milliseconds == 1_001)
    #expect(instant.advanced(by: .seconds(Int64.max)).milliseconds == .max)
    #expect(instant.advanced(by: .seconds(Int64.min)).milliseconds == .min)
    #expect(instant.elapsed(since: Timestamp(milliseconds: 250)) == .milliseconds(750))
    let longest = Timestamp(milliseconds: .max).elapsed(since: Timestamp(milliseconds: .min))
    #expect(longest == .milliseconds(Int64.max) + .milliseconds(Int64.max) + .milliseconds(1))
  }

  @Test("The system's clock says a time after this was written")
  func systemClock() throws {
    let written = try #require(Timestamp(rfc3339: "2025-01-01T00:00:00Z"))
    #expect(Timestamp.readSystemClock() > written)
  }
}
