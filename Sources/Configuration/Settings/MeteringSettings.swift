internal import Objects

/// The treatment of requests whose price or endpoint is unknown.
public struct MeteringSettings: Hashable, Sendable {
  public enum UnknownModel: Hashable, Sendable, CustomStringConvertible {
    /// Refused with 400 `model_not_priced`.
    case deny
    /// Forwarded, and recorded without cost.
    case free
    /// Charged like this model of the price book.
    case priced(as: String)

    public var description: String {
      switch self {
      case .deny: "deny"
      case .free: "free"
      case .priced(let model): "{ as: \(model) }"
      }
    }
  }

  public enum UnmeteredEndpoints: Hashable, Sendable, CustomStringConvertible {
    /// Refused with 403 `endpoint_not_metered`.
    case deny
    /// These paths, as an app writes them, are forwarded without cost. A `*` at the end stands for
    /// any text.
    case allow([String])

    public var description: String {
      switch self {
      case .deny: "deny"
      case .allow(let paths): "[\(paths.joined(separator: ", "))]"
      }
    }
  }

  /// The treatment of a request that names a provider's object without an owner.
  public enum UnownedObjects: String, Hashable, Sendable, CaseIterable {
    /// Every client gets the answer that the object doesn't exist.
    case deny
    /// Every client may use the object.
    case allow
  }

  public var unknownModel = UnknownModel.deny
  public var unmeteredEndpoints = UnmeteredEndpoints.deny
  public var unownedObjects = UnownedObjects.deny
  /// The number of agents to hold for in one request; nil if hard budgets refuse such requests.
  public var agents: Int64?

  public init() {}
}

extension MeteringSettings: TabledSettings {
  static var rows: [SettingRow<MeteringSettings>] {
    [
      SettingRow(
        "unknown_model", \.unknownModel, .unknownModel,
        "Treatment of a model that the price book doesn't have"),
      SettingRow(
        "unmetered_endpoints", \.unmeteredEndpoints, .unmeteredEndpoints,
        "Which endpoints that can't be metered are forwarded at no cost"),
      SettingRow(
        "unowned_objects", \.unownedObjects, .choice,
        "Whether clients may use objects of a provider that Catraca knows no owner of"),
      SettingRow(
        "agents", \.agents, .integer(1...1000),
        "How many agents are held for where a request has `multi_agent`; without it, hard budgets "
          + "refuse such requests (400)"),
    ]
  }
}

extension MeteringSettings {
  /// Warns of what opens a way to the objects of other clients.
  func warnOfHoles(_ node: YAMLNode?, _ context: DecodingContext) {
    warnOfUnownedObjects(node, context)
    guard case .allow = unmeteredEndpoints, let list = node?["unmetered_endpoints"],
      case .sequence(let items) = list.content
    else { return }
    for item in items {
      guard case .scalar(let text, _) = item.content,
        let path = ValueFormat.path(ofEndpoint: text), !OpenedPaths.areSafe(path)
      else { continue }
      context.warning(
        item.mark,
        "unmetered_endpoints: \(path) has no wall between clients: a client can use what another "
          + "has made there")
    }
  }

  /// Warns of the setting that lets clients use objects that others have left at a provider.
  private func warnOfUnownedObjects(_ node: YAMLNode?, _ context: DecodingContext) {
    guard unownedObjects == .allow, let mark = node?["unowned_objects"]?.mark else { return }
    context.warning(
      mark,
      "unowned_objects: allow lets every client use the provider's objects that Catraca knows no "
        + "owner of, such as files that were uploaded before; assign them to clients and write deny"
    )
  }
}

extension ValueFormat<MeteringSettings.UnknownModel> {
  fileprivate static var unknownModel: ValueFormat {
    let word = ValueFormat.scalar("deny, free, or { as: MODEL }") { text in
      switch text {
      case "deny": .deny
      case "free": .free
      default: nil
      }
    }
    return ValueFormat(allowed: word.allowed, text: \.description) { node, key, context in
      guard case .mapping = node.content else { return word.read(node, key, context) }
      return Section.read(node, key, context) { section in
        section.required("as", .text()).map { .priced(as: $0) }
      }
    }
  }
}

extension ValueFormat<MeteringSettings.UnmeteredEndpoints> {
  fileprivate static var unmeteredEndpoints: ValueFormat {
    let word = ValueFormat.scalar("deny, or a list of paths such as /v1/vector_stores*") {
      $0 == "deny" ? .deny : nil
    }
    return ValueFormat(allowed: word.allowed, text: \.description) { node, key, context in
      guard case .sequence = node.content else { return word.read(node, key, context) }
      return ValueFormat<[String]>.list(of: .endpointPath).read(node, key, context)
        .map { .allow($0) }
    }
  }
}

extension ValueFormat<String> {
  /// Adds `/v1` in front if the path doesn't have it.
  fileprivate static var endpointPath: ValueFormat {
    .scalar("a path that begins with / and has a * at most at its end") { path(ofEndpoint: $0) }
  }

  /// A path of `unmetered_endpoints`, with `/v1` in front; nil for a text that isn't one.
  fileprivate static func path(ofEndpoint text: String) -> String? {
    let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    let hasStarInside = text.dropLast().contains("*")
    let isPath = text.hasPrefix("/") && !text.contains("?") && !text.contains("#")
    guard isVisible, isPath, !hasStarInside else { return nil }
    return text.hasPrefix("/v1/") ? text : "/v1\(text)"
  }
}
