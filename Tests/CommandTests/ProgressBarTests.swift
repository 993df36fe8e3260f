import EventLoop
import Testing
import Time

@testable import catraca

@Suite struct ProgressBarTests {
  /// Runs a bar to its end; each step takes so long. Returns what it wrote.
  private func written(steps: Int, each step: Duration, isTerminal: Bool = true) -> [String] {
    let clock = Lock(Timestamp(milliseconds: 0))
    let texts = Lock<[String]>([])
    var surroundings = TestBench().surroundings
    surroundings.now = { clock.withLock { $0 } }
    surroundings.errorOutput = OutputStyle(isTerminal: isTerminal, hasColor: false, width: 80)
    surroundings.writeError = { text in texts.withLock { $0.append(text) } }
    var bar = ProgressBar("audit", total: Int64(steps), in: surroundings)
    for _ in 0..<steps {
      clock.withLock { $0 = $0.advanced(by: step) }
      bar.advance()
    }
    bar.finish()
    return texts.withLock { $0 }
  }

  @Test("Work of two seconds shows nothing")
  func staysQuiet() {
    #expect(written(steps: 1_000, each: .milliseconds(1)).isEmpty)
  }

  @Test("Longer work shows how far it is, ten times a second at most, and leaves nothing behind")
  func showsProgress() throws {
    let texts = written(steps: 10_240, each: .milliseconds(1))
    #expect(texts.count > 20 && texts.count < 90)
    #expect(texts.first == "\raudit [######                        ]  20 %")
    #expect(texts.last == "\r\u{1B}[K")
  }

  @Test("Nothing is written to a file or a pipe")
  func staysOutOfFiles() {
    #expect(written(steps: 10_240, each: .milliseconds(1), isTerminal: false).isEmpty)
  }

  @Test("More steps than were promised stay at the end")
  func neverExceedsItsEnd() {
    var bar = ProgressBar("audit", total: 1, in: TestBench().surroundings)
    bar.advance()
    bar.advance()
    #expect(bar.text == "audit [##############################] 100 %")
  }
}
