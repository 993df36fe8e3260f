import EventLoop
import Testing

@Suite("Registrations")
struct RegistrationTests {
  @Test("A level is reported as long as it lasts, an edge once")
  func triggers() async throws {
    try await onLoop { loop in
      let (levelEnd, levelPeer) = socketPair()
      let (edgeEnd, edgePeer) = socketPair()
      let level = ReadinessProbe(levelEnd, .readable, on: loop)
      let edge = ReadinessProbe(edgeEnd, .readable, edgeTriggered: true, on: loop)
      writeByte(to: levelPeer)
      writeByte(to: edgePeer)
      await level.waitForCall()
      await edge.waitForCall()
      await goRound(loop)
      #expect(level.calls.count > 1)
      #expect(edge.calls == [.readable])
      writeByte(to: edgePeer)
      await goRound(loop)
      #expect(edge.calls == [.readable, .readable])
      level.close()
      edge.close()
      closeDescriptor(levelPeer)
      closeDescriptor(edgePeer)
    }
  }

  @Test("Only what is wanted is reported, and a hang-up always")
  func interest() async throws {
    try await onLoop { loop in
      let (mine, peer) = socketPair()
      let probe = ReadinessProbe(mine, .readable, on: loop)
      await goRound(loop)
      #expect(probe.calls == [])
      try loop.change(probe.registration, to: .writable)
      await probe.waitForCall()
      #expect(probe.calls.allSatisfy { $0 == .writable })
      try loop.change(probe.registration, to: [])
      let count = probe.calls.count
      writeByte(to: peer)
      await goRound(loop)
      #expect(probe.calls.count == count)
      closeDescriptor(peer)
      await goRound(loop)
      #expect(probe.calls.count > count)
      #expect(probe.calls.last?.isDisjoint(with: .hangup) == false)
      probe.close()
    }
  }

  @Test(
    "Who is taken out while events are handed round isn't called, nor is a successor in its place")
  func staleEvents() async throws {
    try await onLoop { loop in
      let pairs = (0..<2).map { _ in socketPair() }
      let probes = pairs.map { ReadinessProbe($0.0, .readable, on: loop) }
      let (fresh, freshPeer) = socketPair()
      var successor: ReadinessProbe?
      for (index, probe) in probes.enumerated() {
        // The first of the two that is called takes the other one's place.
        probe.onCall = {
          guard successor == nil else { return }
          probes[1 - index].close()
          successor = ReadinessProbe(fresh, .readable, on: loop)
        }
      }
      for pair in pairs { writeByte(to: pair.1) }
      await goRound(loop)
      #expect(probes.filter { !$0.calls.isEmpty }.count == 1)
      #expect(successor?.calls == [])
      // Names of a registration that ended do nothing.
      for probe in probes where probe.calls.isEmpty {
        loop.deregister(probe.registration)
        try loop.change(probe.registration, to: .writable)
      }
      writeByte(to: freshPeer)
      await successor?.waitForCall()
      for probe in probes where !probe.calls.isEmpty { probe.close() }
      successor?.close()
      for peer in pairs.map(\.1) + [freshPeer] { closeDescriptor(peer) }
    }
  }

  @Test("A descriptor that can't be watched is an error that names the call")
  func invalidDescriptor() async throws {
    final class Deaf: ReadinessHandler {
      func becameReady(_ readiness: Readiness) {}
    }
    try await onLoop { loop in
      let error = #expect(throws: SystemError.self) {
        _ = try loop.register(-1, .readable, handler: Deaf())
      }
      #expect(error?.call == "epoll_ctl")
    }
  }
}
