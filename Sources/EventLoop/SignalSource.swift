internal import CLinux

/// Turns signals of the process into calls on an event loop.
///
/// A signal handler writes the signal's number into a pipe, on whatever thread it interrupts, and
/// the loop reads the pipe. signalfd would need the signals to be blocked in every thread, but
/// Swift's own threads exist before Catraca could block them. A process has one source at a time.
public final class SignalSource: ReadinessHandler {
  /// A signal that a server handles.
  public enum Signal: CInt, Sendable, CaseIterable {
    case hangup = 1
    case interrupt = 2
    case user1 = 10
    case terminate = 15
  }

  private let readEnd: CInt
  private let writeEnd: CInt
  private let loop: EventLoop
  private let received: (Signal) -> Void
  private var registration: Registration?

  /// Makes a write to a closed connection return an error instead of ending the process.
  public static func ignoreBrokenPipes() {
    catraca_ignore_sigpipe()
  }

  /// Starts to receive signals. `received` is called on `loop` for each one.
  /// - Throws: `SystemError` if the pipe or a handler can't be created.
  public init(
    _ signals: [Signal] = Signal.allCases, on loop: EventLoop,
    received: @escaping (Signal) -> Void
  ) throws(SystemError) {
    loop.preconditionOnLoop()
    var ends: (CInt, CInt) = (-1, -1)
    let status = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
      unsafe catraca_pipe(bytes.baseAddress?.assumingMemoryBound(to: CInt.self))
    }
    guard status == 0 else { throw SystemError.last("pipe2") }
    (readEnd, writeEnd) = ends
    self.loop = loop
    self.received = received
    registration = try loop.register(readEnd, .readable, handler: self)
    for signal in signals {
      guard catraca_catch_signal(signal.rawValue, writeEnd) == 0 else {
        throw SystemError.last("sigaction")
      }
    }
  }

  public func becameReady(_ readiness: Readiness) {
    var number: UInt8 = 0
    while unsafe read(readEnd, &number, 1) == 1 {
      if let signal = Signal(rawValue: CInt(number)) { received(signal) }
    }
  }

  /// Restores the default actions of the signals.
  public func close() {
    guard let registration else { return }
    loop.deregister(registration)
    self.registration = nil
    for signal in Signal.allCases { catraca_release_signal(signal.rawValue) }
    CLinux.close(readEnd)
    CLinux.close(writeEnd)
  }
}
