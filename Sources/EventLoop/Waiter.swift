/// A place where one task of a loop waits until code on the same loop wakes it.
///
/// It uses the unchecked continuation, because this is the most frequent wait of the process and
/// must not allocate. It is safe by these rules: one waiter at a time, resumed once, and removed
/// before it is resumed.
@safe public final class Waiter<Value> {
  private var continuation: UnsafeContinuation<Value, Never>?

  public init() {}

  deinit {
    precondition(!isWaiting, "a task would wait for ever")
  }

  public var isWaiting: Bool {
    if case .some = unsafe continuation { true } else { false }
  }

  /// Suspends the calling task until `wake`.
  public func wait() async -> Value {
    precondition(!isWaiting, "one task waits at a place")
    return unsafe await withUnsafeContinuation { unsafe continuation = $0 }
  }

  /// Wakes the waiting task, if there is one; returns whether there was.
  @discardableResult
  public func wake(_ value: sending Value) -> Bool {
    guard let waiting = unsafe continuation else { return false }
    unsafe continuation = nil
    unsafe waiting.resume(returning: value)
    return true
  }
}

extension Waiter where Value == Void {
  @discardableResult
  public func wake() -> Bool {
    wake(())
  }
}
