internal import EventLoop

/// Tells who carries on with what the writer has written that there is something.
package final class Bell: Sendable {
  private let action = Lock<(@Sendable () -> Void)?>(nil)

  package init() {}

  func answer(by action: @escaping @Sendable () -> Void) {
    self.action.withLock { $0 = action }
  }

  func ring() {
    action.withLock { $0 }?()
  }
}

/// The writer's bells.
package struct Bells: Sendable {
  /// Rung when alerts have been written.
  let alerts = Bell()
  /// Rung when charges have been written.
  let charges = Bell()

  package init() {}
}
