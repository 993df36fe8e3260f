import HTTP
public import JSON
internal import Objects
import Pricing

extension RequestFacts {
  /// Reads a request body in its endpoint's format.
  ///
  /// - Parameters:
  ///   - contentType: The value of its `Content-Type`, which only forms need.
  ///   - parser: The parser of the body. It invalidates values that it parsed before.
  /// - Throws: `MeteringError`, which the client gets as its answer. The request must not be
  ///   forwarded then.
  public static func read(
    _ body: [UInt8], contentType: String = "", endpoint: Endpoint, parser: JSONParser
  ) throws(MeteringError) -> RequestFacts {
    switch endpoint.format(contentType: contentType) {
    case .json(let fields), .jsonOrForm(let fields, _):
      return try readJSON(body, fields: fields, endpoint: endpoint, parser: parser)
    case .form(let fields):
      return try readForm(body, contentType, fields: fields, endpoint: endpoint)
    case .events:
      preconditionFailure("what a session asks for is in its events")
    }
  }

  private static func readForm(
    _ body: [UInt8], _ contentType: String, fields: [String: FormField], endpoint: Endpoint
  ) throws(MeteringError) -> RequestFacts {
    try MultipartRequest(body, contentType: contentType, fields: fields, endpoint: endpoint).read()
  }

  /// Creates the facts that are known before the body is read.
  init(of endpoint: Endpoint) {
    operation = endpoint.operation
    model = ""
    serviceTier = endpoint.tier
    keepsObjects = endpoint.keepsAnswers
    switch endpoint.output {
    case .limited, .byModel: break
    case .limitedByDefault(let limit): outputLimit = limit
    case .none: outputLimit = 0
    }
    if endpoint.operation == .image { images = 1 }
  }

  private static func readJSON(
    _ body: [UInt8], fields: [String: RequestField], endpoint: Endpoint, parser: JSONParser
  ) throws(MeteringError) -> RequestFacts {
    let root: JSONValue
    do { root = try parser.parse(body) } catch { throw .notJSON(error) }
    guard root.kind == .object else { throw .notAnObject }
    try root.checkKeys()
    var reader = RequestReader(of: endpoint)
    reader.mayCacheLong = CacheRetention.mayBeLong(in: body)
    for member in root.members {
      // Names are short, so most need no allocation.
      let name = member.key.string ?? ""
      let field = fields[name]
      if field == nil { try checkSpelling(of: name) { fields[$0, default: .inert] != .inert } }
      try reader.read(member.value, name: name, as: field)
    }
    return try reader.finish(root)
  }
}

/// Gathers the facts of a request, member by member. The facts are large, so they are moved instead
/// of copied.
private struct RequestReader: ~Copyable {
  private var facts: RequestFacts
  var mayCacheLong: Bool {
    get { facts.mayCacheLong }
    set { facts.mayCacheLong = newValue }
  }
  private var setsOutputLimit = false
  private var userPrecedence = Int.max
  private var candidates: Int64 = 1
  private var callLimit: Int64?
  /// The number of tools that run at the provider.
  private var hostedTools: Int64 = 0
  private let endpoint: Endpoint

  init(of endpoint: Endpoint) {
    facts = RequestFacts(of: endpoint)
    self.endpoint = endpoint
  }

  mutating func read(
    _ value: JSONValue, name: String, as field: RequestField?
  ) throws(MeteringError) {
    guard let field else { return try readUnlisted(value, name) }
    // For every member that metering reads, null means the same as a missing member.
    if value.isNull { return }
    switch field {
    case .model: facts.model = try RequestMember.name(value, name)
    case .stream: facts.stream = try RequestMember.boolean(value, name)
    case .streamOptions: try readStreamOptions(value, name)
    case .outputLimit:
      // A completion may request no output, to have only its input echoed.
      let least: Int64 = facts.operation == .completion ? 0 : 1
      let limit = try RequestMember.integer(value, name, in: least...Usage.largestCount)
      facts.outputLimit = setsOutputLimit ? max(limit, facts.outputLimit ?? 0) : limit
      setsOutputLimit = true
    case .choices:
      facts.choices = try RequestMember.integer(value, name, in: RequestFacts.choicesAllowed)
    case .serviceTier: facts.serviceTier = try RequestMember.tier(value, name)
    case .user(let precedence): try readUser(value, name, precedence)
    case .metadata: try readMetadata(value, name)
    case .modalities: facts.asksForAudio = Self.mayBeSpoken(value)
    case .reasoningEffort: facts.reasoningEffort = try RequestMember.name(value, name)
    case .webSearch:
      facts.searchesUncounted = true
      facts.input.add(json: value)
    case .messages: try facts.input.add(messages: value)
    case .items:
      try facts.input.add(items: value)
      try readToolsOfItems(value)
    case .texts: facts.input.add(texts: value)
    case .candidates:
      candidates = try RequestMember.integer(value, name, in: RequestFacts.choicesAllowed)
    case .callLimit:
      callLimit = try RequestMember.integer(value, name, in: RequestFacts.callsAllowed)
    case .reference: try readReference(value)
    case .background: facts.isBackground = try RequestMember.boolean(value, name)
    case .backgroundOptions: try readBackgroundOptions(value, name)
    case .reasoning: try readReasoning(value)
    case .agents: try readAgents(value)
    case .contextManagement: facts.compactions = Self.count(of: value) > 0 ? 1 : 0
    // The provider refuses a value that isn't a boolean, or takes it for true.
    case .store: facts.keepsObjects = value.boolean != false
    case .tools:
      facts.input.add(json: value)
      try readTools(value, name)
    case .compound: try readCompound(value, name)
    case .prediction: facts.predictionBytes += Int64(value.size.stringBytes)
    case .speech: try readSpeech(value, name)
    case .streamFormat: facts.stream = value.isString("sse")
    case .imageCount:
      facts.images = try RequestMember.integer(value, name, in: RequestFacts.choicesAllowed)
    case .imageSize: facts.imageSize = try RequestMember.name(value, name)
    case .imageQuality: facts.imageQuality = try RequestMember.name(value, name)
    case .partialImages: facts.partialImages = try RequestMember.integer(value, name, in: 0...100)
    case .pictures: facts.input.images += value.kind == .array ? Self.count(of: value) : 1
    case .cacheName: try readOwnName(value, name)
    case .inert: break
    }
  }

  private mutating func readUnlisted(_ value: JSONValue, _ name: String) throws(MeteringError) {
    facts.input.add(json: value)
    try facts.otherModels.search(value, key: name)
  }

  private mutating func readUser(
    _ value: JSONValue, _ name: String, _ precedence: Int
  ) throws(MeteringError) {
    let user = try RequestMember.identifier(value, name)
    guard precedence < userPrecedence, !user.isEmpty else { return }
    (userPrecedence, facts.user) = (precedence, user)
  }

  /// Any modality except text is priced as sound, which costs more.
  private static func mayBeSpoken(_ modalities: JSONValue) -> Bool {
    modalities.kind != .array || modalities.elements.contains { !$0.isString("text") }
  }

  private mutating func readReasoning(_ value: JSONValue) throws(MeteringError) {
    try value.checkKeys(among: ["mode"])
    try facts.otherModels.search(value)
    // An unknown mode may cost more than the usual one.
    guard let mode = value["mode"], !mode.isNull, !mode.isString("standard") else { return }
    facts.asksForSeveralRuns = true
  }

  private mutating func readAgents(_ value: JSONValue) throws(MeteringError) {
    try value.checkKeys(among: ["enabled"])
    guard value["enabled"]?.boolean != false else { return }
    facts.asksForAgents = true
    // Each agent reads the other agents' text.
    facts.input.isOpenEnded = true
  }

  private static func count(of list: JSONValue) -> Int64 {
    list.elements.reduce(0) { count, _ in count + 1 }
  }

  /// The provider keeps the object that a response continues. If a request named it twice, Catraca
  /// could look up one object while the provider uses the other.
  private mutating func readReference(_ value: JSONValue) throws(MeteringError) {
    try value.checkKeys(among: ["id"])
    facts.input.isOpenEnded = true
  }

  /// Models that speak are priced by the text's code points, or by audio tokens.
  private mutating func readSpeech(_ value: JSONValue, _ name: String) throws(MeteringError) {
    guard let text = value.string else { throw .invalid(param: name, expected: "a text") }
    facts.input.add(json: value)
    facts.characters = Int64(text.unicodeScalars.count)
  }

  /// - Parameter root: The whole body, after it was read.
  consuming func finish(_ root: JSONValue) throws(MeteringError) -> RequestFacts {
    if facts.model.isEmpty, let model = endpoint.defaultModel { facts.model = model }
    guard !facts.model.isEmpty else { throw .missing(param: "model") }
    if facts.operation == .completion {
      // Each text is completed this many times. Candidates that aren't returned are billed too.
      facts.choices = max(facts.choices, candidates) * max(1, facts.input.messages)
    }
    // Input that the provider keeps may ask for it, too.
    facts.mayCacheLong = facts.mayCacheLong || facts.input.isOpenEnded
    facts.keepsObjects = facts.keepsObjects || facts.isBackground
    // Only background responses have a window.
    if !facts.isBackground { facts.completionWindow = nil }
    boundCalls()
    facts.boundMediaOutput()
    try facts.gatherObjects(of: root, endpoint)
    return facts
  }

  /// Bounds the number of the provider's calls for the answer, and with it the number of times that
  /// the model reads its context.
  ///
  /// If a request could set a limit but doesn't, there is no bound. One call of each tool and one
  /// context are counted then, and hard budgets set a limit.
  ///
  /// Example: with `max_tool_calls: 3`, the bound is 3 calls and 4 contexts.
  private mutating func boundCalls() {
    if OpenAI.alwaysSearches(model: facts.model) { facts.searchesUncounted = true }
    facts.maySearchWeb = facts.maySearchWeb || facts.searchesUncounted
    if facts.maySearchWeb && !facts.callSurcharges.contains(OpenAI.webSearch) {
      facts.callSurcharges.append(OpenAI.webSearch)
    }
    if let calls = Groq.toolCalls(model: facts.model) {
      callLimit = calls
      facts.callSurcharges = []
    } else if hostedTools == 0 && !facts.maySearchWeb {
      return
    }
    facts.input.isOpenEnded = true
    if hostedTools > 0, callLimit == nil {
      facts.lacksCallLimit = endpoint.takesCallLimit
      // A chat with tools of its provider loops as compound models do.
      if !facts.lacksCallLimit { callLimit = Groq.mostToolCalls }
    }
    facts.calls = callLimit ?? max(1, hostedTools)
    facts.passes = (callLimit ?? 0) + 1
  }

  private mutating func readStreamOptions(
    _ value: JSONValue, _ name: String
  ) throws(MeteringError) {
    guard value.kind == .object, value.repeatedKey == nil else {
      throw .invalid(param: name, expected: "an object without repeated members, or null")
    }
    try value.checkKeys(among: ["include_usage"])
    guard let option = value["include_usage"], !option.isNull else { return }
    facts.asksForUsage = try RequestMember.boolean(option, "\(name).include_usage")
  }

  private mutating func readBackgroundOptions(
    _ value: JSONValue, _ name: String
  ) throws(MeteringError) {
    guard value.kind == .object else { throw .invalid(param: name, expected: "an object or null") }
    try value.checkKeys(among: ["completion_window", "continuation_id"])
    if let related = value["continuation_id"], !related.isNull {
      try readOwnName(related, "\(name).continuation_id")
    }
    guard let option = value["completion_window"], !option.isNull else { return }
    let window = try RequestMember.name(option, "\(name).completion_window")
    facts.completionWindow = window == OpenAI.soonest ? nil : window
  }

  /// A provider could read a name that isn't a text as one, so it is refused.
  private mutating func readOwnName(_ value: JSONValue, _ name: String) throws(MeteringError) {
    guard let length = value.utf8Count else { throw .invalid(param: name, expected: "a text") }
    if length > 0 { facts.hasOwnNames = true }
  }

  private mutating func readMetadata(_ value: JSONValue, _ name: String) throws(MeteringError) {
    guard value.kind == .object else { throw .invalid(param: name, expected: "an object or null") }
    try value.checkKeys()
    guard let identifier = value["conversation_id"], !identifier.isNull else { return }
    let conversation = try RequestMember.identifier(identifier, "\(name).conversation_id")
    facts.conversation = conversation.isEmpty ? nil : conversation
  }

  /// Items can declare tools as the request itself does: `additional_tools`, `tool_search_output`.
  /// The provider runs these tools too, so an item's `tools` count, whatever its type is.
  private mutating func readToolsOfItems(_ items: JSONValue) throws(MeteringError) {
    guard items.kind == .array else { return }
    for item in items.elements where item.kind == .object {
      try item.checkKeys(among: ["tools"])
      if let tools = item["tools"], !tools.isNull { try readTools(tools, "input") }
    }
  }

  /// Reads the declared tools. A tool that isn't the client's own runs at the provider, and the
  /// model reads its results. A namespace contains tools of any kind, and so may any other tool
  /// with a member `tools`.
  private mutating func readTools(_ value: JSONValue, _ name: String) throws(MeteringError) {
    guard value.kind == .array, value.elements.allSatisfy({ $0.kind == .object }) else {
      throw .invalid(param: name, expected: "tools as an array of objects")
    }
    for tool in value.elements {
      facts.input.tools += 1
      try tool.checkKeys(among: RequestReader.keysOfTools)
      try tool["environment"]?.checkKeys(among: ["type", "memory_limit"])
      try tool["container"]?.checkKeys(among: ["type", "memory_limit"])
      if let tools = tool["tools"], !tools.isNull { try readTools(tools, name) }
      guard let type = try Self.toolType(tool) else { continue }
      guard !OpenAI.isRunByClient(type, tool) else {
        if !OpenAI.isDescribedByClient(type) { facts.input.describedTools += 1 }
        continue
      }
      hostedTools += 1
      if type.hasFragment("search") && type != OpenAI.fileSearch { facts.maySearchWeb = true }
      if type.hasPrefix(OpenAI.imageGeneration) { try noteDrawing(by: tool) }
      try noteOtherModels(of: tool, draws: type.hasPrefix(OpenAI.imageGeneration))
      let container = facts.containers.note(type, tool)
      if let surcharge = container ?? OpenAI.surcharge(ofTool: type) {
        facts.callSurcharges.append(surcharge)
      }
    }
  }

  /// Notes the models that a tool names for its work. The model of a tool that draws is noted
  /// apart, and so are the tools that are in the tool.
  private mutating func noteOtherModels(
    of tool: JSONValue, draws: Bool
  ) throws(MeteringError) {
    for member in tool.members {
      if member.hasKey("tools") || draws && member.hasKey("model") { continue }
      try facts.otherModels.search(member.value, key: member.key.string ?? "")
    }
  }

  private static let keysOfTools: Set<String> = [
    "type", "model", "size", "quality", "environment", "container", "tools",
  ]

  /// Returns the type of a tool; nil if it has none.
  ///
  /// All types are in lower case. A provider could read another spelling as a known type while
  /// Catraca reads it as unknown: `IMAGE_GENERATION` would then draw with a model that the key
  /// doesn't allow.
  ///
  /// - Throws: `MeteringError.invalid` for another spelling, and for a value that isn't a string.
  private static func toolType(_ tool: JSONValue) throws(MeteringError) -> String? {
    guard let value = tool["type"], !value.isNull else { return nil }
    guard let type = value.string, type.utf8.allSatisfy(isOfToolType) else {
      throw .invalid(
        param: "tools.type", expected: "lower-case letters, digits and '_-.:/' only")
    }
    return type
  }

  private static func isOfToolType(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// Notes the model of the image tool, which bills its drawings. The answer doesn't tell the
  /// drawings of several models apart, so the request may name only one.
  private mutating func noteDrawing(by tool: JSONValue) throws(MeteringError) {
    func name(_ key: StaticString) throws(MeteringError) -> String? {
      guard let value = tool[key], !value.isNull else { return nil }
      return try RequestMember.name(value, "tools.\(key)")
    }
    let model = try name("model") ?? OpenAI.imageModel
    facts.imageToolTokens = max(
      facts.imageToolTokens,
      ImageBound.tokens(model, size: try name("size"), quality: try name("quality")))
    guard facts.imageToolModel ?? model == model else {
      throw .invalid(param: "tools", expected: "one model for all image tools")
    }
    facts.imageToolModel = model
  }

  /// Notes the models that a compound model is asked to use.
  private mutating func readCompound(
    _ value: JSONValue, _ name: String
  ) throws(MeteringError) {
    facts.input.add(json: value)
    guard value.kind == .object else { return }
    try value.checkKeys(among: ["models"])
    guard let models = value["models"], models.kind == .object else { return }
    try models.checkKeys()
    for member in models.members where !member.value.isNull {
      let place = "\(name).models"
      try facts.otherModels.add(try RequestMember.name(member.value, place), key: place)
    }
  }
}
