import Testing
import Time

@testable import Gateway

@Suite("What a provider adds to requests is learned")
struct LearnedOverheadTests {
  private let overhead = LearnedOverhead()
  private static let morning = Timestamp(milliseconds: 1_795_341_600_000)
  private static let hour: Int64 = 3600 * 1000

  private func subject(
    _ client: String = "acme", model: String = "m", kind: RequestKind = .text
  ) -> LearnedOverhead.Subject {
    LearnedOverhead.Subject(client: client, provider: "openai", model: model, kind: kind)
  }

  private func tokens(_ subject: LearnedOverhead.Subject, afterHours hours: Int64 = 0) -> Int64 {
    overhead.excess(at: Self.morning.adding(hours * Self.hour), for: subject).inputTokens
  }

  private func note(
    _ excess: Int64, of subject: LearnedOverhead.Subject, atMost limit: Int64 = 1_000_000,
    afterHours hours: Int64 = 0
  ) {
    overhead.note(
      excess, .inputTokens, of: subject, atMost: limit, at: Self.morning.adding(hours * Self.hour))
  }

  @Test("An excess is added to the next bound at once, and repeats don't add up")
  func maximum() {
    #expect(tokens(subject()) == 0)
    note(300, of: subject())
    #expect(tokens(subject()) == 300)
    note(300, of: subject())
    note(200, of: subject())
    #expect(tokens(subject()) == 300)
    note(400, of: subject())
    #expect(tokens(subject()) == 400)
  }

  @Test(
    "An excess of one client, model or kind of request raises no other bound",
    arguments: [
      ("other", "m", RequestKind.tools), ("acme", "n", .tools), ("acme", "m", .text),
      ("acme", "m", .sound),
    ])
  func apart(_ client: String, _ model: String, _ kind: RequestKind) {
    note(300, of: subject(kind: .tools))
    #expect(tokens(subject(client, model: model, kind: kind)) == 0)
  }

  @Test("Half of an excess is forgotten every hour, unless it is seen again")
  func decay() {
    note(300, of: subject())
    #expect(tokens(subject(), afterHours: 1) == 150)
    #expect(tokens(subject(), afterHours: 2) == 75)
    note(300, of: subject(), afterHours: 2)
    #expect(tokens(subject(), afterHours: 2) == 300)
    #expect(tokens(subject(), afterHours: 11) == 0)
    #expect(tokens(subject(), afterHours: 1_000_000) == 0)
    // A clock that was set back forgets nothing.
    #expect(tokens(subject(), afterHours: -5) == 300)
  }

  @Test("No more than the model's context is added")
  func context() {
    note(5_000, of: subject(), atMost: 1_000)
    #expect(tokens(subject()) == 1_000)
  }

  @Test("Input, output and sound are remembered apart")
  func measures() {
    let measures: [LearnedOverhead.Measure] = [.inputTokens, .outputTokens, .audioMilliseconds]
    for (index, measure) in measures.enumerated() {
      overhead.note(
        Int64(index + 1), measure, of: subject(), atMost: 1_000, at: Self.morning)
    }
    let excess = overhead.excess(at: Self.morning, for: subject())
    #expect(excess.inputTokens == 1 && excess.outputTokens == 2 && excess.audioMilliseconds == 3)
  }

  @Test("A newcomer takes the place of the excess that was seen first")
  func capacity() {
    for index in 0..<LearnedOverhead.capacity {
      note(300, of: subject("client\(index)"), afterHours: index == 7 ? 0 : 1)
    }
    note(300, of: subject("new"), afterHours: 1)
    #expect(tokens(subject("new"), afterHours: 1) == 300)
    #expect(tokens(subject("client7"), afterHours: 1) == 0)
    #expect(tokens(subject("client8"), afterHours: 1) == 300)
  }
}

extension Timestamp {
  fileprivate func adding(_ milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: self.milliseconds + milliseconds)
  }
}
