internal import EventLoop

/// Tells who delivers alerts that there are some.
package final class AlertBell: Sendable {
  private let action = Lock<(@Sendable () -> Void)?>(nil)

  package init() {}

  func answer(by action: @escaping @Sendable () -> Void) {
    self.action.withLock { $0 = action }
  }

  func ring() {
    action.withLock { $0 }?()
  }
}
