import Money
import Testing

@testable import Budgets

@Suite("The clamp")
struct ClampTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let affordable: Int64
    let recent: Int64?
    var largest: Int64 = 16_384
    let output: Int64?

    var testDescription: String {
      "\(affordable) affordable, \(recent.map(String.init) ?? "none") recent, of \(largest)"
    }
  }

  static let cases: [Case] = [
    // An eighth of what is left, where that is more than answers use.
    Case(affordable: 16_000, recent: nil, output: 2_000),
    Case(affordable: 16_000, recent: 300, output: 2_000),
    // Twice the usual answer, where that is more.
    Case(affordable: 8_000, recent: nil, output: 1_024),
    Case(affordable: 8_000, recent: 900, output: 1_800),
    Case(affordable: 1_024, recent: nil, output: 1_024),
    // The affordable output, if neither fits.
    Case(affordable: 1_023, recent: nil, output: 1_023),
    Case(affordable: 256, recent: nil, output: 256),
    Case(affordable: 1_000, recent: 4_000, output: 1_000),
    // Too little for an answer.
    Case(affordable: 255, recent: nil, output: nil),
    Case(affordable: 0, recent: nil, output: nil),
    // A model whose answers are short is served from less.
    Case(affordable: 100, recent: 40, output: 80),
    Case(affordable: 79, recent: 40, output: nil),
    Case(affordable: 1, recent: 0, output: 1),
    // Never above the largest output.
    Case(affordable: 500, recent: 9_000, largest: 501, output: 500),
    Case(affordable: 1_000, recent: .max, largest: 2_000, output: 1_000),
  ]

  @Test("gives a fair share, then what answers need, then what fits", arguments: cases)
  func output(_ row: Case) {
    let usual = Clamp.usualOutput(recent: row.recent)
    #expect(
      Clamp.output(affordable: row.affordable, usual: usual, largest: row.largest) == row.output)
    let least = Clamp.leastOutput(usual: usual, largest: row.largest)
    #expect((row.affordable >= least) == (row.output != nil), "the least output agrees")
  }

  @Test("sets no limit where the largest output fits")
  func whole() throws {
    var gate = Turnstile([budget(.tokens(20_000))])
    let grant = try gate.held(demand(input: 100, output: 16_384, explicit: false))
    #expect(grant.clampedOutput == nil)
    #expect(grant.bound.tokens == 16_484)
  }

  @Test("never changes a request that sets its own limit")
  func explicit() throws {
    var gate = Turnstile([budget(.tokens(10_000))])
    let denial = try gate.denied(demand(output: 16_384))
    #expect(denial.affordableOutputTokens == 10_000)
    #expect(try gate.held(demand(output: 10_000)).clampedOutput == nil)
  }

  @Test("counts what is left after the input, for all answers, on the tightest budget")
  func tightest() throws {
    var gate = Turnstile([
      budget("wide", .tokens(1_000_000)), budget("tight", .both(tokens: 40_500, cost: dollar)),
    ])
    // 40,000 left for two answers: 20,000 each, of which an eighth is held.
    let grant = try gate.held(
      demand(input: 500, output: 50_000, explicit: false, choices: 2, outputTokenCost: .zero))
    #expect(grant.clampedOutput == 2_500)
    #expect(grant.bound.tokens == 500 + 2 * 2_500)
    #expect(try gate.status("wide").heldTokens == 5_500)
  }

  @Test("is set by money as by tokens")
  func money() throws {
    var gate = Turnstile([budget(.cost(dollar))])
    // A dollar pays for 100,000 output tokens at 10 microdollars, less the input's 20,000.
    let grant = try gate.held(
      demand(
        output: 200_000, explicit: false, fixedCost: microDollars(200_000),
        outputTokenCost: microDollars(10)))
    #expect(grant.clampedOutput == 10_000)
    #expect(try gate.status().heldCost.nanoUnits == 300_000_000)
  }

  @Test("waits for room where what fits now is too little, and refuses where it always is")
  func waits() throws {
    var gate = Turnstile([budget(.tokens(1_000))])
    let first = try gate.held(demand(output: 900))
    let ticket = try gate.waiting(demand(output: 16_384, explicit: false))
    try gate.settle(first, use(700))
    let admitted = gate.takeEvents().admitted
    #expect(admitted.map(\.ticket) == [ticket])
    #expect(admitted.first?.grant.clampedOutput == 300)
    try gate.settle(admitted[0].grant, use(100))
    // 200 are left.
    let denial = try gate.denied(demand(output: 16_384, explicit: false))
    #expect(denial.reason == .tokenLimit)
    #expect(denial.affordableOutputTokens == 200)
  }

  private let dollar = Money(nanoUnits: 1_000_000_000, currency: .usd)
}
