import Testing

@testable import Gateway
@testable import Ledger

@Suite("How fast a model writes is learned from its whole answers")
struct GenerationRateTests {
  private func rate(_ answers: [(tokens: Int64, milliseconds: Int64)]) -> GenerationRate {
    var rate = GenerationRate()
    for answer in answers { rate.learn(tokens: answer.tokens, milliseconds: answer.milliseconds) }
    return rate
  }

  @Test("A model that has shown too little is taken for faster than any that is published")
  func unknown() {
    #expect(GenerationRate().tokens(in: .seconds(2)) == 2_000)
    let few = [(tokens: Int64(200), milliseconds: Int64(10_000))]
    #expect(rate(few).tokens(in: .seconds(2)) == 2_000)
    #expect(rate(Array(repeating: few[0], count: 7)).tokens(in: .seconds(2)) == 2_000)
  }

  @Test("Even one answer that is faster than assumed counts")
  func faster() {
    #expect(rate([(4_000, 1_000)]).tokens(in: .seconds(2)) == 8_000)
  }

  @Test("The fastest of many answers counts, whatever came before and after it")
  func maximum() {
    let slow = [(tokens: Int64(200), milliseconds: Int64(10_000))]
    let answers = Array(repeating: slow[0], count: 8) + [(2_000, 20_000)] + slow
    #expect((198...200).contains(rate(answers).tokens(in: .seconds(2))))
  }

  @Test("A start learns the rate of one choice, and its length")
  func restored() {
    let statistics = ModelStatistics()
    let answer = RecentAnswers.Answer(
      inputTokens: 9, outputTokens: 8_000, outputTextTokens: 8_000, inputTextBytes: 0,
      outputTextBytes: 0, latencyMilliseconds: 10_000, choices: 8, reasons: false)
    let recent = RecentAnswers(
      provider: "openai", model: "m", answers: Array(repeating: answer, count: 8))
    statistics.note(recent, model: "m")
    let rate = statistics.generation(provider: "openai", model: "m")
    #expect(rate.tokens(in: .seconds(2)) == 200)
    #expect(statistics.expectation(provider: "openai", model: "m").longOutput == 1_000)
  }

  @Test("One odd answer fades")
  func fades() {
    let usual = [(tokens: Int64(200), milliseconds: Int64(10_000))]
    let answers = [(1_000_000, 1)] + Array(repeating: usual[0], count: 5_000)
    #expect((40...44).contains(rate(answers).tokens(in: .seconds(2))))
  }

  @Test("Short answers teach nothing: neither that a model is slow nor that it is fast")
  func short() {
    let answers = Array(repeating: (tokens: Int64(99), milliseconds: Int64(1)), count: 100)
    #expect(rate(answers) == GenerationRate())
  }

  @Test(
    "Absurd figures are bounded, and overflow nothing",
    arguments: [(Int64.max, 0), (.max, .min), (.max, .max), (1 << 53, 1)] as [(Int64, Int64)])
  func absurd(_ tokens: Int64, _ milliseconds: Int64) {
    let rate = rate(Array(repeating: (tokens, milliseconds), count: 10))
    #expect(rate.tokens(in: .zero) == 0)
    #expect(rate.tokens(in: .seconds(-5)) == 0)
    #expect(rate.tokens(in: .seconds(1)) <= 1_000_000)
    #expect(rate.tokens(in: .seconds(Int64.max / 1_000_000)) > 0)
  }

  @Test("Only a model that was seen often, and never to reason, shows all that it writes")
  func onlyText() {
    let answer = (tokens: Int64(200), milliseconds: Int64(10_000))
    #expect(!rate(Array(repeating: answer, count: 7)).writesOnlyText)
    var known = rate(Array(repeating: answer, count: 8))
    #expect(known.writesOnlyText)
    known.noteReasoning()
    #expect(!known.writesOnlyText)
  }

  @Test("A part of a token is a token")
  func roundsUp() {
    #expect(GenerationRate().tokens(in: .milliseconds(1)) == 1)
    let slow = Array(repeating: (tokens: Int64(100), milliseconds: Int64(1_000_000)), count: 8)
    #expect(rate(slow).tokens(in: .milliseconds(1)) == 1)
  }
}
