/// A text that must not be seen: it shows itself as dots, in descriptions and mirrors alike.
public struct Secret: Hashable, Sendable {
  private let text: String

  public init(_ text: String) {
    self.text = text
  }

  /// The text itself, for the one place that sends or signs with it.
  public func revealed() -> String { text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "••••" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
