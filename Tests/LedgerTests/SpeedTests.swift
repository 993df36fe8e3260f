import Glibc
import Testing

@testable import Ledger

@Suite(.serialized) struct SpeedTests {
  /// Far above what is measured, also without optimization and with a sanitizer: only a change of
  /// kind, such as a commit for each request, fails.
  static let largestMicroseconds = 2_000.0

  @Test("10,000 requests in batches of 16 cost little CPU, both commits included")
  func requestsAreCheap() throws {
    let folder = TemporaryFolder()
    let database = try LedgerDatabase(folder.options())
    let batches = stride(from: 0, to: 10_000, by: 16).map { first in
      (first..<min(first + 16, 10_000)).map { number in
        (
          open: Entry.open(interrupted: Sample.intent(number).interrupted),
          settle: Entry.settle(Sample.settlement(number))
        )
      }
    }
    let start = processorMicroseconds()
    for batch in batches {
      try database.commit(batch.lazy.map(\.open))
      try database.commit(batch.lazy.map(\.settle))
    }
    let each = (processorMicroseconds() - start) / 10_000
    print("ledger: \(each) µs of CPU per request in batches of 16")
    #expect(each < SpeedTests.largestMicroseconds)
  }

  /// Of this thread alone.
  private func processorMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
