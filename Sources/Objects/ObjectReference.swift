/// A place in a request that names an object of the provider's.
public struct ObjectReference: Hashable, Sendable {
  public let kind: ObjectKind
  /// As the request spells it; not empty.
  public let id: String
  /// The member, parameter or part that names it, as `param` of an error has it, such as
  /// `previous_response_id` or `input`; nil for a segment of the path.
  public let place: String?

  public init(_ kind: ObjectKind, _ id: String, at place: String? = nil) {
    self.kind = kind
    self.id = id
    self.place = place
  }
}

/// An object that an answer shows to have been made.
public struct MadeObject: Hashable, Sendable {
  public let kind: ObjectKind
  public let id: String

  public init(_ kind: ObjectKind, _ id: String) {
    self.kind = kind
    self.id = id
  }
}
