public import JSON
import Pricing

extension RequestFacts {
  /// Reads a request body in its endpoint's format.
  ///
  /// - Parameter parser: what parses the body; earlier values of it end to hold.
  /// - Throws: what the client must be told; nothing of the request may be forwarded then.
  public static func read(
    _ body: [UInt8], endpoint: Endpoint, parser: JSONParser
  ) throws(MeteringError) -> RequestFacts {
    switch endpoint.request {
    case .json(let fields):
      try readJSON(body, fields: fields, endpoint: endpoint, parser: parser)
    }
  }

  private static func readJSON(
    _ body: [UInt8], fields: [String: RequestField], endpoint: Endpoint, parser: JSONParser
  ) throws(MeteringError) -> RequestFacts {
    let root: JSONValue
    do { root = try parser.parse(body) } catch { throw .notJSON(error) }
    guard root.kind == .object else { throw .notAnObject }
    if let key = root.repeatedKey { throw .repeatedMember(key) }
    var reader = RequestReader(of: endpoint)
    for member in root.members {
      // Names are short: most need no allocation.
      let name = member.key.string ?? ""
      try reader.read(member.value, name: name, as: fields[name])
    }
    return try reader.finish()
  }
}

/// Gathers the facts of a request, member by member.
private struct RequestReader {
  private var facts: RequestFacts
  private var outputLimitPrecedence = Int.max
  private var userPrecedence = Int.max

  init(of endpoint: Endpoint) {
    facts = RequestFacts(operation: endpoint.operation, model: "")
    switch endpoint.output {
    case .limited: break
    case .limitedByDefault(let limit): facts.outputLimit = limit
    case .none: facts.outputLimit = 0
    }
  }

  mutating func read(
    _ value: JSONValue, name: String, as field: RequestField?
  ) throws(MeteringError) {
    guard let field else { return facts.input.add(json: value) }
    // Null means the same as a missing member, wherever metering looks.
    if value.isNull { return }
    switch field {
    case .model: facts.model = try Self.name(value, name)
    case .stream: facts.stream = try Self.boolean(value, name)
    case .streamOptions: try readStreamOptions(value, name)
    case .outputLimit(let precedence):
      let limit = try Self.integer(value, name, in: 1...Usage.largestCount)
      if precedence < outputLimitPrecedence {
        outputLimitPrecedence = precedence
        facts.outputLimit = limit
      }
    case .choices: facts.choices = try Self.integer(value, name, in: RequestFacts.choicesAllowed)
    case .serviceTier: facts.serviceTier = try Self.name(value, name)
    case .user(let precedence):
      let user = try Self.name(value, name)
      if precedence < userPrecedence, !user.isEmpty {
        userPrecedence = precedence
        facts.user = user
      }
    case .metadata: try readMetadata(value, name)
    case .modalities: facts.asksForAudio = value.elements.contains { $0.isString("audio") }
    case .reasoningEffort: facts.reasoningEffort = try Self.name(value, name)
    case .webSearch:
      facts.maySearchWeb = true
      facts.input.add(json: value)
    case .messages: facts.input.add(messages: value)
    case .tools: readTools(value)
    case .prediction: facts.predictionBytes += Int64(value.size.stringBytes)
    case .inert: break
    }
  }

  consuming func finish() throws(MeteringError) -> RequestFacts {
    guard !facts.model.isEmpty else { throw .missing(param: "model") }
    facts.maySearchWeb = facts.maySearchWeb || OpenAI.alwaysSearches(model: facts.model)
    if facts.maySearchWeb { facts.calls = max(1, facts.calls) }
    if facts.maySearchWeb || Groq.readsWeb(model: facts.model) { facts.input.isOpenEnded = true }
    return facts
  }

  private mutating func readStreamOptions(
    _ value: JSONValue, _ name: String
  ) throws(MeteringError) {
    guard value.kind == .object, value.repeatedKey == nil else {
      throw .invalid(param: name, expected: "an object without repeated members, or null")
    }
    guard let option = value["include_usage"], !option.isNull else { return }
    facts.asksForUsage = try Self.boolean(option, "\(name).include_usage")
  }

  private mutating func readMetadata(_ value: JSONValue, _ name: String) throws(MeteringError) {
    guard value.kind == .object else { throw .invalid(param: name, expected: "an object or null") }
    guard let identifier = value["conversation_id"], !identifier.isNull else { return }
    let conversation = try Self.name(identifier, "\(name).conversation_id")
    facts.conversation = conversation.isEmpty ? nil : conversation
  }

  /// A tool that isn't the client's own runs at the provider, and the model reads what it finds.
  private mutating func readTools(_ value: JSONValue) {
    facts.input.add(json: value)
    for tool in value.elements {
      facts.input.tools += 1
      guard let type = tool["type"], !type.isString("function"), !type.isString("custom")
      else { continue }
      facts.input.isOpenEnded = true
      if type.string?.hasFragment("search") == true { facts.maySearchWeb = true }
    }
  }

  private static func boolean(_ value: JSONValue, _ param: String) throws(MeteringError) -> Bool {
    guard let boolean = value.boolean else {
      throw .invalid(param: param, expected: "true, false or null")
    }
    return boolean
  }

  private static func integer(
    _ value: JSONValue, _ param: String, in range: ClosedRange<Int64>
  ) throws(MeteringError) -> Int64 {
    guard let integer = value.integer, range.contains(integer) else {
      let expected = "an integer from \(range.lowerBound) to \(range.upperBound), or null"
      throw .invalid(param: param, expected: expected)
    }
    return integer
  }

  private static func name(_ value: JSONValue, _ param: String) throws(MeteringError) -> String {
    guard let length = value.utf8Count, length <= RequestFacts.longestName,
      let name = value.string
    else {
      let expected = "a string of at most \(RequestFacts.longestName) bytes"
      throw .invalid(param: param, expected: expected)
    }
    return name
  }
}
