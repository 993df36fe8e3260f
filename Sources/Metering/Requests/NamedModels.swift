public import HTTP
public import JSON
import Pricing

/// The models that a request names beside its own `model`, wherever it names them.
///
/// Servers that pass requests on to several providers take further models: to try when the first
/// one fails, to choose from, or for a part of the work. Which members they read differs, so every
/// member counts whose name says that it holds a model.
///
/// Example: `{"models": ["a"], "fallbacks": [{"b": ["c"]}], "reasoning": {"model": "d"}}` names
/// `a`, `c` and `d`.
public struct NamedModels: Sendable, Hashable {
  /// Each name once, in the order in which the request names them.
  public private(set) var names: [String] = []
  /// Those of them by which tools draw.
  public private(set) var drawing: [String] = []

  public init() {}

  /// Adds the models that an object names in its members, at any depth.
  ///
  /// - Throws: `invalid` for the name of a model that is too long.
  public mutating func search(_ value: JSONValue) throws(MeteringError) {
    for element in value.elements { try search(element) }
    if NamedModels.draws(value) { return try noteDrawing(value) }
    for member in value.members { try search(member.value, key: member.key.string ?? "") }
  }

  /// Adds the models that a member of an object names.
  ///
  /// - Throws: `invalid` for the name of a model that is too long, `unsupported` for a member that
  ///   redirects the request.
  public mutating func search(_ value: JSONValue, key: String) throws(MeteringError) {
    let name = NamedModels.plain(key)
    if NamedModels.holdsNoModel.contains(name) { return }
    if !value.isNull { try NamedModels.checkRedirect(name, of: key) }
    guard NamedModels.isModel(name) else { return try search(value) }
    try add(value, key: key, hasNamesOfApps: !name.hasSuffix("model"))
  }

  /// Adds the models that a form names in its parts.
  ///
  /// - Throws: `invalid` for the name of a model that is too long.
  public mutating func search(
    _ form: MultipartForm, of body: [UInt8]
  ) throws(MeteringError) {
    for part in form.parts { try search(part, of: body) }
  }

  /// Adds the models that a part of a form names. A file of many bytes is no name.
  mutating func search(_ part: MultipartForm.Part, of body: [UInt8]) throws(MeteringError) {
    if part.isFile, part.content.count > RequestFacts.longestName { return }
    try search(text: String(decoding: body[part.content], as: UTF8.self), name: part.name)
  }

  /// Adds the model that a part of a form or a parameter of a query names. The name may be that of
  /// an element: `models[]`, `tools[0][model]`.
  ///
  /// - Throws: `invalid` for the name of a model that is too long.
  public mutating func search(text: String, name: String) throws(MeteringError) {
    let steps = name.split { $0 == "[" || $0 == "]" || $0 == "." }
    guard !steps.contains(where: { NamedModels.holdsNoModel.contains(NamedModels.plain($0)) })
    else { return }
    for step in steps { try NamedModels.checkRedirect(NamedModels.plain(step), of: name) }
    guard let last = steps.last(where: { !$0.allSatisfy(\.isNumber) }),
      NamedModels.isModel(NamedModels.plain(last))
    else { return }
    if let value = try? JSONParser().parse(Array(text.utf8)), value.kind == .array {
      try add(value, key: name, hasNamesOfApps: true)
    } else {
      try add(text, key: name)
    }
  }

  /// Adds the model that a path names, as some servers have it: `/v1/engines/NAME/completions`,
  /// `/v1/models/NAME:generate`.
  ///
  /// - Throws: `invalid` for the name of a model that is too long.
  public mutating func search(path: String) throws(MeteringError) {
    let segments = path.split(separator: "/")
    for (before, segment) in zip(segments, segments.dropFirst())
    where NamedModels.collections.contains(before.lowercased()) {
      let name = PercentEncoding.decode(segment, plusIsSpace: false) ?? String(segment)
      // Names of tuned models have colons, too.
      let isTuned = name.hasPrefix("ft:")
      try add(isTuned ? name : String(name.prefix { $0 != ":" }), key: "path")
    }
  }

  // MARK: Values

  /// - Parameter hasNamesOfApps: whether an object's keys may be the app's own, as in
  ///   `{"models": {"first": "a"}}`.
  private mutating func add(
    _ value: JSONValue, key: String, hasNamesOfApps: Bool
  ) throws(MeteringError) {
    switch value.kind {
    case .string: try add(try RequestMember.name(value, key), key: key)
    case .array:
      for element in value.elements {
        try add(element, key: key, hasNamesOfApps: hasNamesOfApps)
      }
    case .object:
      let namesOwn = value.members.contains {
        NamedModels.isModel(NamedModels.plain($0.key.string ?? ""))
      }
      if namesOwn || !hasNamesOfApps { return try search(value) }
      for member in value.members {
        let name = member.key.string ?? ""
        try NamedModels.checkRedirect(NamedModels.plain(name), of: name)
        try add(member.value, key: key, hasNamesOfApps: hasNamesOfApps)
      }
    default: break
    }
  }

  /// Adds a model by its name, unless it is empty.
  mutating func add(_ name: String, key: String) throws(MeteringError) {
    guard name.utf8.count <= RequestFacts.longestName else {
      throw .invalid(
        param: key, expected: "a string of at most \(RequestFacts.longestName) bytes")
    }
    if !name.isEmpty, !names.contains(name) { names.append(name) }
  }

  private mutating func noteDrawing(_ tool: JSONValue) throws(MeteringError) {
    var own = NamedModels()
    for member in tool.members { try own.search(member.value, key: member.key.string ?? "") }
    if own.names.isEmpty { try own.add(OpenAI.imageModel, key: "tools") }
    for name in own.names {
      try add(name, key: "tools")
      if !drawing.contains(name) { drawing.append(name) }
    }
  }

  /// Whether a value is a tool that draws, whatever is written around its name. A drawing itself
  /// has the type `image_generation_call`.
  private static func draws(_ value: JSONValue) -> Bool {
    guard value.kind == .object, let type = value["type"]?.string.map({ plain($0) }) else {
      return false
    }
    return type.contains("imagegeneration") && !type.hasSuffix("call")
  }

  // MARK: Names of members

  /// A name's letters, in lower case: servers differ in the signs and capitals that they take.
  private static func plain(_ name: some StringProtocol) -> String {
    name.prefix { $0 != "\0" }.lowercased().filter(\.isLetter)
  }

  private static func isModel(_ plain: String) -> Bool {
    endings.contains { plain.hasSuffix($0) }
  }

  private static let endings = [
    "model", "models", "modelid", "modelname", "fallback", "fallbacks",
  ]

  /// Members whose content is the app's own: texts, labels, schemas, values of a template.
  private static let holdsNoModel: Set<String> = [
    "metadata", "labels", "attributes", "headers", "properties", "schema", "jsonschema",
    "inputschema", "outputschema", "variables", "arguments",
  ]

  /// Members by which servers that pass requests on take another address, account or model than
  /// the provider's own. Catraca can't price such a request, and a foreign address would get the
  /// provider's key.
  private static let redirecting: Set<String> = [
    "apibase", "baseurl", "apibaseurl", "apikey", "customllmprovider", "litellmcredentialname",
    "userconfig", "preset", "azureendpoint", "awsbedrockruntimeendpoint", "vertexcredentials",
    "litellmparams", "modellist", "extraheaders", "endpoint", "proxy", "organization",
  ]

  private static func checkRedirect(_ plain: String, of name: String) throws(MeteringError) {
    guard redirecting.contains(plain) else { return }
    throw .unsupported(
      param: name,
      reason: "A request may not choose another address, account or preset with '\(name)'.")
  }

  private static let collections: Set<String> = ["models", "engines", "deployments"]
}
