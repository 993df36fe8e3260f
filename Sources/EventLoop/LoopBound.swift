/// A value of one event loop on its way into a task of that loop.
///
/// It is Sendable, because only the loop's own thread can take the value out, which each access
/// checks.
public struct LoopBound<Value>: @unchecked Sendable {
  private let held: Value
  public let loop: EventLoop

  public init(_ value: Value, on loop: EventLoop) {
    loop.preconditionOnLoop()
    self.held = value
    self.loop = loop
  }

  /// The value. The caller must run on the loop.
  public var value: Value {
    loop.preconditionOnLoop()
    return held
  }
}
