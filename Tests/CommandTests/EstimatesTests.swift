import Ledger
import Testing

@testable import catraca

@Suite struct EstimatesTests {
  private let bench = TestBench()

  /// A request of 100 tokens, `estimated` of them estimated.
  private func row(
    _ number: Int, estimated: Int64?, model: String = "gpt-4o-mini", client: String = "acme"
  ) -> UsageRow {
    var row = LedgerFixture.row(number, client: client, input: 90, output: 10)
    row.model = model
    row.estimateCheck = estimated.map {
      EstimateCheck(estimatedTokens: $0, inputTextBytes: 0, outputTextBytes: 0)
    }
    row.usageSource = estimated == nil ? .estimated : .reported
    return row
  }

  @Test("The error of each model is shown, by what was reported, whichever way it goes")
  func shows() async throws {
    try await bench.record([
      row(1, estimated: 110), row(2, estimated: 80), row(3, estimated: 100),
      row(4, estimated: nil), row(5, estimated: nil, model: "o3"),
    ])
    let printout = await bench.run("estimates")
    #expect(
      printout.output == """
        Provider  Model        Reported  Estimated  Mean error %  95% within %
        openai    gpt-4o-mini         3          1          10.0          20.0
        openai    o3                  0          1             -             -

        """)
  }

  @Test("95 of 100 estimates are within the percentile")
  func percentile() async throws {
    try await bench.record(
      (1...100).map { row($0, estimated: 100 + Int64($0)) } + [
        row(101, estimated: 900, client: "beta")
      ])
    let printout = await bench.run("estimates --client acme --format json")
    #expect(
      printout.output.contains(
        #""reported_requests":100,"estimated_requests":0,"mean_error_percent":50.5,"#
          + #""p95_error_percent":95.0"#))
  }

  @Test("Nothing used is said, and no error")
  func saysNothing() async throws {
    try await bench.record([])
    #expect(await bench.run("estimates").output == "Nothing was used since 2026-10-24.\n")
  }
}
