import Budgets
import Synchronization
import Testing

@Suite("A hold that can't be copied")
struct HoldTests {
  /// Writes down what it is asked for.
  final class Recorder: HoldKeeper {
    enum Call: Equatable { case settle(HoldID, Consumption), release(HoldID), abandon(HoldID) }

    private let written = Mutex<[Call]>([])
    var calls: [Call] { written.withLock { $0 } }

    func settle(_ hold: HoldID, with consumption: Consumption) -> Settlement {
      written.withLock { $0.append(.settle(hold, consumption)) }
      return Settlement(charges: [], tightest: nil)
    }

    func release(_ hold: HoldID) { written.withLock { $0.append(.release(hold)) } }
    func abandon(_ hold: HoldID) { written.withLock { $0.append(.abandon(hold)) } }
  }

  private func grant() throws -> Grant {
    var gate = Turnstile([])
    return try gate.held(demand(output: 1))
  }

  @Test("is settled once")
  func settled() throws {
    let (grant, recorder) = (try grant(), Recorder())
    let hold = Hold(grant, keeper: recorder)
    _ = hold.settle(with: use(3))
    #expect(recorder.calls == [.settle(grant.hold, use(3))])
  }

  @Test("is released once")
  func released() throws {
    let (grant, recorder) = (try grant(), Recorder())
    Hold(grant, keeper: recorder).release()
    #expect(recorder.calls == [.release(grant.hold)])
  }

  @Test("is abandoned when it is dropped")
  func dropped() throws {
    let (grant, recorder) = (try grant(), Recorder())
    do { _ = Hold(grant, keeper: recorder) }
    #expect(recorder.calls == [.abandon(grant.hold)])
  }
}
