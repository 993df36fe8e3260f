/// A secret, and the place that the configuration names for it.
public struct NamedSecret: Hashable, Sendable {
  public enum Source: Hashable, Sendable {
    /// The environment variable of this name.
    case environment(String)
    /// The file at this path, as the configuration names it.
    case file(String)
  }

  public let source: Source
  /// The secret; nil if it is missing and that was tolerated.
  public let value: Secret?

  public init(_ source: Source, value: Secret?) {
    self.source = source
    self.value = value
  }
}

extension NamedSecret {
  /// Reads `api_key_env` or `api_key_file`; nil if the section has neither, or has a mistake.
  static func decodeKey(from section: inout Section) -> NamedSecret? {
    let (variable, file) = ("api_key_env", "api_key_file")
    let environmentKey = section.optional(variable, .environmentSecret)
    let fileKey = section.optional(file, .fileSecret)
    if section.has(variable), section.has(file) {
      section.mistake(at: file, "\(file) and \(variable) are both given; allowed: one of them")
    }
    if let name = section.scalar(variable) {
      return NamedSecret(.environment(name), value: environmentKey)
    }
    return section.scalar(file).map { NamedSecret(.file($0), value: fileKey) }
  }
}
