/// The reaction to a secret that the configuration names and that is missing.
public enum MissingSecrets: Sendable {
  /// A mistake. A server needs its secrets.
  case refused
  /// A warning, and the secret is nil. `catraca check` may run without secrets.
  case tolerated
}

/// The sources of secrets: the environment and files, never YAML.
struct SecretSources {
  let environment: [String: String]
  let files: RecordedFiles
  let missing: MissingSecrets
}

extension ValueFormat<Secret> {
  /// The longest secret, in bytes.
  private static var longest: Int { 4096 }

  /// The name of an environment variable that contains the secret.
  static var environmentSecret: ValueFormat {
    let name = ValueFormat<String>.scalar(
      "the name of an environment variable, such as OPENAI_API_KEY", isConfidential: true
    ) { isVariableName($0) ? $0 : nil }
    return ValueFormat(allowed: name.allowed, text: \.description) { node, key, context in
      guard let variable = name.read(node, key, context) else { return nil }
      guard let text = context.secrets.environment[variable], !text.isEmpty else {
        reportMissing(
          "\(key): the environment variable \(variable) is not set; allowed: one that holds the "
            + "secret", at: node.mark, context)
        return nil
      }
      return secret(text, from: "the environment variable \(variable)", node, key, context)
    }
  }

  /// The path of a file that contains the secret, with at most a line break after it.
  static var fileSecret: ValueFormat {
    ValueFormat(allowed: "the path of a file with the secret", text: \.description) {
      node, key, context in
      guard let path = ValueFormat<String>.path.read(node, key, context) else { return nil }
      do throws(FileError) {
        let bytes = try context.secrets.files.read(path, atMost: longest + 2)
        var text = Substring(decoding: bytes, as: UTF8.self)
        while let last = text.last, last.isNewline { text.removeLast() }
        return secret(String(text), from: path, node, key, context)
      } catch {
        reportMissing("\(key): \(path): \(error)", at: node.mark, context)
        return nil
      }
    }
  }

  /// Refuses a text that isn't valid in a header, without ever showing it.
  private static func secret(
    _ text: String, from place: String, _ node: YAMLNode, _ key: String,
    _ context: DecodingContext
  ) -> Secret? {
    let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isVisible, (1...longest).contains(text.utf8.count) else {
      context.mistake(
        node.mark,
        "\(key): \(place) is not a secret; allowed: 1 to \(longest) visible ASCII characters")
      return nil
    }
    return Secret(text)
  }

  private static func reportMissing(
    _ message: String, at mark: YAMLMark, _ context: DecodingContext
  ) {
    switch context.secrets.missing {
    case .refused: context.mistake(mark, message)
    case .tolerated: context.warning(mark, message)
    }
  }
}

private func isVariableName(_ text: String) -> Bool {
  guard let first = text.utf8.first, !isDigit(first), text.utf8.count <= 128 else { return false }
  return text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
}

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
