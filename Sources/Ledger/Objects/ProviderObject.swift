internal import JSON
public import Objects
public import Time

/// An object that a provider keeps, and whose it is: a row of `provider_objects` (article Objects).
public struct ProviderObject: Hashable, Sendable {
  /// The owner of an object.
  public enum Owner: Hashable, Sendable {
    case client(String)
    /// All clients may use it: `*` in the table.
    case everybody
  }

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
  /// The session of a container that was paid for last; nil for objects of other kinds.
  public var session: ContainerSession?

  public init(
    provider: String, objectID: String, kind: ObjectKind, owner: Owner, keyName: String?,
    createdAt: Timestamp, deletedAt: Timestamp? = nil, session: ContainerSession? = nil
  ) {
    self.session = session
    self.provider = provider
    self.objectID = objectID
    self.kind = kind
    self.owner = owner
    self.keyName = keyName
    self.createdAt = createdAt
    self.deletedAt = deletedAt
  }

  /// Whether a text can be the id of a recorded object: see `MadeObject.isRecordable`.
  public static func isID(_ text: String) -> Bool { MadeObject.isRecordable(text) }
}

/// An object's fields under the names of `provider_objects`, in the order of its columns, without
/// those of its session.
extension ProviderObject {
  func write(to fields: inout some FieldWriter) {
    fields.write("provider", provider)
    fields.write("object_id", objectID)
    fields.write("kind", kind.rawValue)
    fields.write("client_id", owner.text)
    fields.write("key_name", keyName)
    fields.write("created_at", createdAt.rfc3339)
    fields.write("deleted_at", deletedAt?.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let id = try fields.requiredText("object_id", of: "an object")
    let record = "object \(id)"
    let deletedAt = fields.text("deleted_at")
    self.init(
      provider: try fields.requiredText("provider", of: record), objectID: id,
      kind: try fields.required(
        "kind", of: record, ObjectKind(rawValue: try fields.requiredText("kind", of: record))),
      owner: Owner(text: try fields.requiredText("client_id", of: record)),
      keyName: fields.text("key_name"),
      createdAt: try fields.requiredInstant("created_at", of: record),
      deletedAt: deletedAt == nil ? nil : try fields.requiredInstant("deleted_at", of: record),
      session: try ContainerSession(from: fields, of: record))
  }
}

extension ProviderObject.Owner {
  private static let everybodyText = "*"

  /// As `client_id` has it.
  public var text: String {
    switch self {
    case .client(let id): id
    case .everybody: ProviderObject.Owner.everybodyText
    }
  }

  /// The owner that `text` names: all clients for `*`, which is no client's id.
  public init(text: String) {
    self = text == ProviderObject.Owner.everybodyText ? .everybody : .client(text)
  }
}

extension ObjectEnd {
  func write(to fields: inout some FieldWriter) {
    fields.write("provider", provider)
    fields.write("object_id", objectID)
    fields.write("deleted_at", at.rfc3339)
  }

  init(from fields: some FieldReader) throws(LedgerError) {
    let record = "the end of an object"
    provider = try fields.requiredText("provider", of: record)
    objectID = try fields.requiredText("object_id", of: record)
    at = try fields.requiredInstant("deleted_at", of: record)
  }
}

extension JSONWriter {
  /// Objects as an array, which `SettlementReader.providerObjects` reads.
  mutating func providerObjects(_ objects: [ProviderObject]) {
    array { elements in
      for object in objects {
        elements.record { fields in
          object.write(to: &fields)
          object.session?.write(to: &fields)
        }
      }
    }
  }
}

extension SettlementReader {
  func providerObjects(from json: JSONValue?) throws(LedgerError) -> [ProviderObject] {
    try elements(of: json) { object throws(LedgerError) in
      try ProviderObject(from: ObjectReader(object))
    }
  }
}

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
