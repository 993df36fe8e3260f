/// A provider's endpoint and its objects: an entry of the table in ObjectEndpoints.swift.
public struct ObjectEndpoint: Sendable {
  /// Whether Catraca forwards requests for it.
  public enum Access: Sendable, Hashable {
    /// They cost money, and metering's table has the endpoint too.
    case metered
    /// They cost nothing.
    case free
    /// Their objects cost money while they rest, or work on by themselves: an operator may open
    /// them.
    case refused
  }

  /// The content of a list.
  public struct List: Sendable, Hashable {
    public let kind: ObjectKind
    /// Elements of a page for a request that names no limit, and the most that it may name.
    public let usualLimit: Int
    public let largestLimit: Int
    /// Whether all that it shows belongs to the object in its path, so that nothing is left out.
    public let isWithinOwner: Bool
    /// Whether its elements are recorded, so that a cursor names one of them.
    public let hasRecordedElements: Bool
  }

  public let method: String
  /// Each `{kind}` is a segment with the id of an object, and `*` one of something that isn't
  /// recorded: `/v1/skills/{skill}/versions/*`.
  public let pattern: String
  let segments: [Substring]
  public let access: Access
  /// Where a good answer shows ids of objects that were made, such as `file.id` or `data[].id`.
  public let makes: [(place: String, kind: ObjectKind)]
  /// Nil where the answer isn't a list of objects.
  public let list: List?
  /// Whether a good answer can mean that the last object in the path is gone.
  public let ends: Bool
  /// Whether it means so without saying `"deleted": true`, by an answer without a body.
  public let endsSilently: Bool

  init(
    _ method: String, _ pattern: String, _ access: Access = .free,
    makes: [(place: String, kind: ObjectKind)] = [], list: List? = nil, ends: Bool = false,
    endsSilently: Bool = false
  ) {
    self.method = method
    self.pattern = pattern
    segments = pattern.dropFirst().split(separator: "/")
    self.access = access
    self.makes = makes
    self.list = list
    self.ends = ends || endsSilently
    self.endsSilently = endsSilently
  }
}

extension ObjectEndpoint {
  /// Whether the provider keeps the items of a request's body in a conversation, or compares them
  /// with items that it keeps, as it does to count their tokens.
  public var keepsItems: Bool {
    method == "POST"
      && (pattern.hasPrefix("/v1/conversations") || pattern == "/v1/responses/input_tokens")
  }
}

extension ObjectEndpoint.List {
  /// A list of everything of a kind in the account, of which a client sees its own.
  static func of(_ kind: ObjectKind, usual: Int = 20, largest: Int = 100) -> Self {
    Self(
      kind: kind, usualLimit: usual, largestLimit: largest, isWithinOwner: false,
      hasRecordedElements: true)
  }

  /// A list of what the object in the path has, all of which is its owner's.
  static func within(_ kind: ObjectKind, isRecorded: Bool = true) -> Self {
    Self(
      kind: kind, usualLimit: 20, largestLimit: 100, isWithinOwner: true,
      hasRecordedElements: isRecorded)
  }
}
