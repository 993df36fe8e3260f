/// The names by which sessions of containers are priced. They stand among those of surcharges, and
/// no surcharge of a file has such a name.
public enum ContainerPrice {
  /// Of a container whose size isn't known: the highest.
  public static let ofUnknownSize = "container "

  /// Of a container with so much memory, by the provider's name for it: `16g`.
  public static func name(ofSize size: String) -> String { ofUnknownSize + size }

  /// The size in a name; nil for the name of a surcharge.
  static func size(in name: String) -> Substring? {
    name.hasPrefix(ofUnknownSize) ? name.dropFirst(ofUnknownSize.count) : nil
  }

  /// The surcharge by which files without prices of containers price any of them.
  public static let surcharge = "code_interpreter"
}
