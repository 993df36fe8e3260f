public import JSON

/// Finds the objects that answers show to have been made.
public enum MadeObjects {
  /// The objects at these places of an answer.
  ///
  /// - Parameter places: as in `ObjectEndpoint.makes`.
  public static func inAnswer(
    _ root: JSONValue, at places: [(place: String, kind: ObjectKind)]
  ) -> [MadeObject] { [] }
}
