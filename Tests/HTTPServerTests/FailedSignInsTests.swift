import EventLoop
import Testing

@testable import HTTPServer

@Suite("Failed sign-ins")
struct FailedSignInsTests {
  private static let start = MonotonicInstant(nanoseconds: 5_000_000_000)

  private func network(_ host: String) throws -> SocketAddress.Network {
    try #require(SocketAddress(host: host, port: 1)).network
  }

  @Test("Those above the limit of a minute are told when it ends, each network by itself")
  func limit() throws {
    let failures = FailedSignIns(most: 2)
    let (one, other) = (try network("10.0.0.1"), try network("10.0.0.2"))
    func note(_ network: SocketAddress.Network?, after milliseconds: Int64) -> Int64? {
      failures.note(from: network, at: Self.start.advanced(by: .milliseconds(milliseconds)))
    }
    #expect(note(one, after: 0) == nil)
    #expect(note(one, after: 10) == nil)
    #expect(note(one, after: 10) == 60)
    #expect(note(one, after: 59_000) == 1)
    #expect(note(one, after: 59_999) == 1)
    #expect(note(other, after: 59_999) == nil)
    #expect(note(nil, after: 59_999) == nil)
    #expect(note(one, after: 60_000) == nil)
    #expect(note(one, after: 60_000) == nil)
    #expect(note(one, after: 60_000) == 60)
  }

  @Test("However many networks there are, so many are kept and the others share a count")
  func bound() throws {
    let failures = FailedSignIns(most: 1)
    for index in 0..<FailedSignIns.largestCount {
      let each = try network("10.0.\(index / 256).\(index % 256)")
      #expect(failures.note(from: each, at: Self.start) == nil)
    }
    #expect(failures.note(from: try network("11.0.0.1"), at: Self.start) == nil)
    #expect(failures.note(from: try network("11.0.0.2"), at: Self.start) == 60)
    #expect(failures.note(from: try network("10.0.0.0"), at: Self.start) == 60)
    let later = Self.start.advanced(by: FailedSignIns.window)
    #expect(failures.note(from: try network("11.0.0.2"), at: later) == nil)
    #expect(failures.note(from: try network("11.0.0.3"), at: later) == nil)
  }
}
