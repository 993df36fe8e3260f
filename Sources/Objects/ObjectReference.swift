/// A place in a request that names an object of the provider's.
public struct ObjectReference: Hashable, Sendable {
  public let kind: ObjectKind
  /// As the request spells it; not empty.
  public let id: String
  /// The member, parameter or part that names it, as `param` of an error has it, such as
  /// `previous_response_id` or `input`; nil for a segment of the path.
  public let place: String?
  /// Whether the request may name an object that nobody is known to own. An object of another
  /// client is refused all the same.
  ///
  /// It is true for items that apps send back with nothing in them but their id by habit, such as
  /// reasoning without its encrypted content. The provider ignores those that it doesn't have.
  public let allowsUnknown: Bool

  public init(
    _ kind: ObjectKind, _ id: String, at place: String? = nil, allowsUnknown: Bool = false
  ) {
    self.kind = kind
    self.id = id
    self.place = place
    self.allowsUnknown = allowsUnknown
  }
}
