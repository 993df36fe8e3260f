public import Objects
public import Time

/// Which rows of `provider_objects` are meant; nil is any.
public struct ObjectFilter: Hashable, Sendable {
  public var owner: ProviderObject.Owner?
  /// As the configuration names it.
  public var provider: String?
  public var kind: ObjectKind?
  /// The whole id.
  public var objectID: String?

  public init(
    owner: ProviderObject.Owner? = nil, provider: String? = nil, kind: ObjectKind? = nil,
    objectID: String? = nil
  ) {
    self.owner = owner
    self.provider = provider
    self.kind = kind
    self.objectID = objectID
  }
}

/// Names a row of `provider_objects`, so that a page can go on after it, also if the row is gone
/// meanwhile: `openai/file/1795331400123/file-abc`.
public struct ObjectCursor: Hashable, Sendable, LosslessStringConvertible {
  public var provider: String
  public var kind: String
  public var createdAt: Timestamp
  public var objectID: String

  init(_ object: ProviderObject) {
    provider = object.provider
    kind = object.kind.rawValue
    createdAt = object.createdAt
    objectID = object.objectID
  }

  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let milliseconds = Int64(parts[2]) else { return nil }
    provider = String(parts[0])
    kind = String(parts[1])
    createdAt = Timestamp(milliseconds: milliseconds)
    objectID = String(parts[3])
  }

  public var description: String {
    "\(provider)/\(kind)/\(createdAt.milliseconds)/\(objectID)"
  }
}

extension ProviderObject {
  /// Where a page goes on after this object.
  public var cursor: ObjectCursor { ObjectCursor(self) }
}
