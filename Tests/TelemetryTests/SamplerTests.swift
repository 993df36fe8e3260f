import Testing

@testable import Telemetry

@Suite struct SamplerTests {
  private static let sampled = TraceContext(
    traceHigh: 1, traceLow: 1, spanID: 1, isSampled: true)
  private static let unsampled = TraceContext(
    traceHigh: 1, traceLow: 1, spanID: 1, isSampled: false)

  struct Case: Sendable {
    let name: String
    var ratio = 1.0
    /// Of a trace that begins here; with a sampled caller; with one that isn't.
    let decisions: [Bool]
  }

  @Test(
    "A sampler decides, with and without a caller who has decided",
    arguments: [
      Case(name: "always_on", decisions: [true, true, true]),
      Case(name: "always_off", decisions: [false, false, false]),
      Case(name: "traceidratio", decisions: [true, true, true]),
      Case(name: "traceidratio", ratio: 0, decisions: [false, false, false]),
      Case(name: "parentbased_always_on", decisions: [true, true, false]),
      Case(name: "parentbased_always_off", decisions: [false, true, false]),
      Case(name: "parentbased_traceidratio", decisions: [true, true, false]),
      Case(name: "parentbased_traceidratio", ratio: 0, decisions: [false, true, false]),
    ])
  func decides(_ test: Case) throws {
    let sampler = try #require(Sampler(name: test.name, ratio: test.ratio))
    for (parent, decision) in zip(
      [nil, SamplerTests.sampled, SamplerTests.unsampled], test.decisions)
    {
      #expect(sampler.samples(traceLow: 1, parent: parent) == decision)
    }
  }

  @Test("A ratio is a share of the ids, the same whoever asks")
  func ratio() throws {
    let sampler = try #require(Sampler(name: "traceidratio", ratio: 0.25))
    for (low, decision) in [
      (1, true), (UInt64.max / 4 - 2, true), (UInt64.max / 4 + 2, false), (UInt64.max, false),
    ] {
      #expect(sampler.samples(traceLow: low, parent: nil) == decision)
    }
  }

  @Test(
    "Other samplers aren't known", arguments: ["", "Always_On", "jaeger_remote", "parentbased_"])
  func unknown(name: String) {
    #expect(Sampler(name: name, ratio: 1) == nil)
  }
}
