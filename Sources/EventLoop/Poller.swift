internal import CLinux

/// The events for which a file descriptor is ready.
public struct Readiness: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The peer has closed its side, or the connection broke.
  public static let hangup = Readiness(
    rawValue: EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue)
  static let edgeTriggered = Readiness(rawValue: EPOLLET.rawValue)
}

/// Owns an epoll descriptor. All epoll system calls are made here.
@safe struct Poller: ~Copyable {
  private let descriptor: CInt
  private let events: UnsafeMutableBufferPointer<epoll_event>

  /// The most events that one wait returns.
  static let batch = 256

  init() throws(SystemError) {
    descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError.last("epoll_create1") }
    unsafe events = .allocate(capacity: Poller.batch)
  }

  deinit {
    close(descriptor)
    unsafe events.deallocate()
  }

  func add(_ file: CInt, _ interest: Readiness, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, file, interest, token)
  }

  func change(_ file: CInt, _ interest: Readiness, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_MOD, file, interest, token)
  }

  /// Removes a descriptor. A descriptor that the kernel has already removed is no error.
  func remove(_ file: CInt) {
    epoll_ctl(descriptor, EPOLL_CTL_DEL, file, nil)
  }

  private func control(
    _ operation: CInt, _ file: CInt, _ interest: Readiness, _ token: UInt64
  ) throws(SystemError) {
    var event = unsafe catraca_epoll_event(interest.rawValue, token)
    guard unsafe epoll_ctl(descriptor, operation, file, &event) == 0 else {
      throw SystemError.last("epoll_ctl")
    }
  }

  /// Waits at most `milliseconds` (-1: without limit), and calls `body` for each event; returns
  /// false if there was none.
  func wait(milliseconds: CInt, _ body: (UInt64, Readiness) -> Void) -> Bool {
    let count = unsafe epoll_wait(
      descriptor, events.baseAddress, CInt(Poller.batch), milliseconds)
    guard count > 0 else { return false }
    for index in 0..<Int(count) {
      var event = unsafe events[index]
      unsafe body(catraca_epoll_data(&event), Readiness(rawValue: event.events))
    }
    return true
  }
}
