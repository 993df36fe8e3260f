public import Objects
public import Time

/// An object that a provider keeps, and whose it is: a row of `provider_objects` (article Objects).
public struct ProviderObject: Hashable, Sendable {
  /// Whom an object belongs to.
  public enum Owner: Hashable, Sendable {
    case client(String)
    /// All clients may use it: `*` in the table.
    case everybody
  }

  /// The longest id that is recorded, in bytes of UTF-8.
  public static let longestID = 256

  /// As the configuration names it.
  public var provider: String
  /// The provider's id of it, such as `file-abc`.
  public var objectID: String
  public var kind: ObjectKind
  public var owner: Owner
  /// The key of the client whose request made it; nil where an administrator assigned it.
  public var keyName: String?
  /// When it was recorded; if it was made again after its deletion, when that was.
  public var createdAt: Timestamp
  /// Since when it is gone at the provider; nil while it is there.
  public var deletedAt: Timestamp?

  public init(
    provider: String, objectID: String, kind: ObjectKind, owner: Owner, keyName: String?,
    createdAt: Timestamp, deletedAt: Timestamp? = nil
  ) {
    self.provider = provider
    self.objectID = objectID
    self.kind = kind
    self.owner = owner
    self.keyName = keyName
    self.createdAt = createdAt
    self.deletedAt = deletedAt
  }

  /// Whether a text can be the id of an object: not empty, at most `longestID` bytes, all of them
  /// printable ASCII. Providers have no others.
  public static func isID(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...longestID).contains(bytes.count) && bytes.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
