import EventLoop
import Glibc

/// Notes what the loop reports of one descriptor, which it owns.
final class ReadinessProbe: ReadinessHandler {
  private(set) var calls: [Readiness] = []
  var onCall: () -> Void = {}
  let registration: Registration
  private let descriptor: CInt
  private let loop: EventLoop
  private let waiter = Waiter<Void>()
  private let relay: Relay

  /// Handed to the loop while the probe isn't made yet.
  private final class Relay: ReadinessHandler {
    weak var probe: ReadinessProbe?
    func becameReady(_ readiness: Readiness) { probe?.becameReady(readiness) }
  }

  init(
    _ descriptor: CInt, _ interest: Readiness, edgeTriggered: Bool = false, on loop: EventLoop
  ) {
    relay = Relay()
    self.descriptor = descriptor
    self.loop = loop
    registration = try! loop.register(
      descriptor, interest, edgeTriggered: edgeTriggered, handler: relay)
    relay.probe = self
  }

  func becameReady(_ readiness: Readiness) {
    calls.append(readiness)
    waiter.wake()
    onCall()
  }

  func waitForCall() async {
    if calls.isEmpty { await waiter.wait() }
  }

  func close() {
    loop.deregister(registration)
    closeDescriptor(descriptor)
  }
}

func writeByte(to descriptor: CInt) {
  var byte: UInt8 = 1
  precondition(write(descriptor, &byte, 1) == 1)
}

func closeDescriptor(_ descriptor: CInt) {
  close(descriptor)
}
