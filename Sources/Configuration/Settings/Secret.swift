/// A text that must not be shown. Descriptions and mirrors show dots.
public struct Secret: Sendable {
  private let text: String
  private let search: SecretSearch?

  public init(_ text: String) {
    self.text = text
    search = SecretSearch(text)
  }

  /// Returns the text itself, for the code that sends it or signs with it.
  public func revealed() -> String { text }

  /// Whether the secret, or its beginning, occurs in bytes: plain, with escapes of JSON or of a
  /// URL, in UTF-16, or in Base64. Always false for a short text, which could be a word.
  public func isShown(in bytes: Span<UInt8>) -> Bool {
    search?.isFound(in: bytes) ?? false
  }

  /// The bytes of the shortest text in which `isShown` finds the secret; `Int.max` for a short
  /// secret.
  public var leastShownBytes: Int { search?.leastBytes ?? .max }

  /// The offset at which the end of a piece may begin to show the secret; the piece's count if it
  /// doesn't.
  public func unfinished(in piece: Span<UInt8>) -> Int {
    search?.unfinished(in: piece) ?? piece.count
  }
}

extension Secret: Hashable {
  public static func == (left: Secret, right: Secret) -> Bool { left.text == right.text }

  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "••••" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
