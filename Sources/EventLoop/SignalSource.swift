internal import CLinux

/// Turns signals of the process into calls on an event loop.
///
/// `block` must run on the main thread before any other thread starts: threads inherit the mask,
/// so that the signals reach only this source.
public final class SignalSource: ReadinessHandler {
  /// A signal that a server listens for.
  public enum Signal: CInt, Sendable, CaseIterable {
    case hangup = 1
    case interrupt = 2
    case user1 = 10
    case terminate = 15
  }

  private let descriptor: CInt
  private let loop: EventLoop
  private let received: (Signal) -> Void
  private var registration: Registration?

  /// Keeps the signals from their default action, in this and every later thread.
  public static func block(_ signals: [Signal] = Signal.allCases) {
    var set = mask(signals)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private static func mask(_ signals: [Signal]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal.rawValue) }
    return set
  }

  public init(
    _ signals: [Signal] = Signal.allCases, on loop: EventLoop,
    received: @escaping (Signal) -> Void
  ) throws(SystemError) {
    loop.preconditionOnLoop()
    var set = SignalSource.mask(signals)
    self.loop = loop
    self.received = received
    descriptor = unsafe signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError.last("signalfd") }
    registration = try loop.register(descriptor, .readable, handler: self)
  }

  public func becameReady(_ readiness: Readiness) {
    var information = signalfd_siginfo()
    while unsafe read(descriptor, &information, MemoryLayout<signalfd_siginfo>.size) > 0 {
      if let signal = Signal(rawValue: CInt(information.ssi_signo)) { received(signal) }
    }
  }

  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    CLinux.close(descriptor)
  }
}
