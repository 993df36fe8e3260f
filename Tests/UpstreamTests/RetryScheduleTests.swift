import Testing

import Upstream

@Suite struct RetryScheduleTests {
  @Test("A delivery is tried again after 1 s, 5 s, 30 s, 2 min, 10 min, then hourly for a day")
  func pauses() {
    let pauses = (1...29).map { RetrySchedule.pause(after: $0)?.components.seconds }
    #expect(pauses == [1, 5, 30, 120, 600] + Array(repeating: 3600, count: 24))
    // A ledger that somebody edited may have fewer attempts than none.
    #expect([Int.min, -1, 0].allSatisfy { RetrySchedule.pause(after: $0) == .seconds(1) })
    #expect(RetrySchedule.pause(after: 30) == nil && RetrySchedule.pause(after: 31) == nil)
  }
}
