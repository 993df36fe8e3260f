internal import JSON

/// The parts of a chat completion's request that the sandbox reads.
struct ChatRequest: Equatable {
  var model: String
  var isStreamed = false
  /// Whether the answer is made in the background, after the request was answered.
  var isBackground = false
  /// Whether the request declares a tool that draws.
  var drawsImages = false
  var includesUsage = false
  var choices = 1
  /// The number of answers from which the best are returned; nil if the request doesn't ask for
  /// any. The sandbox bills all of them.
  var candidates: Int?
  var outputLimit: Int64?
  var serviceTier: String?
  /// The bytes of all texts in the messages.
  var textBytes = 0
  var messageCount = 0
  var lastText = ""
  /// The tool call that the answer makes instead of text; nil for text.
  var toolCall: ToolCall?
  /// The JSON that the answer consists of instead of words; nil for words.
  var jsonContent: String?

  struct ToolCall: Equatable {
    var name: String
    var arguments: String
  }

  /// Reads a request's body.
  ///
  /// - Throws: The error that the provider would answer.
  init(body: [UInt8]) throws(ProviderError) {
    let parser = JSONParser()
    let root = try ProviderError.root(of: body, parser)
    let model = root["model"]?.string ?? ""
    guard !model.isEmpty else { throw .missingModel }
    guard let messages = root["messages"], messages.kind == .array else {
      throw .missing("messages")
    }
    guard !model.hasPrefix("missing-") else { throw .unknownModel(model) }
    self.model = model
    isStreamed = root["stream"]?.boolean ?? false
    includesUsage = root["stream_options"]?["include_usage"]?.boolean ?? false
    choices = Int(clamping: root["n"]?.integer ?? 1)
    guard 1...ChatRequest.mostChoices ~= choices else {
      throw ProviderError(
        status: 400, message: "'n' must be 1 to \(ChatRequest.mostChoices).", param: "n")
    }
    outputLimit = root["max_completion_tokens"]?.integer ?? root["max_tokens"]?.integer
    serviceTier = root["service_tier"]?.string
    read(messages)
    readFormat(root)
    readTools(root)
  }

  static let mostChoices = 128

  private mutating func read(_ messages: JSONValue) {
    for message in messages.elements {
      messageCount += 1
      lastText = ChatRequest.text(of: message["content"])
      textBytes += lastText.utf8.count
    }
  }

  /// A message's text: a string, or the texts of its parts joined by spaces.
  static func text(of content: JSONValue?) -> String {
    guard let content else { return "" }
    if let text = content.string { return text }
    return content.elements.compactMap { $0["text"]?.string }.joined(separator: " ")
  }

  private mutating func readFormat(_ root: JSONValue) {
    guard let format = root["response_format"], let type = format["type"]?.string else { return }
    switch type {
    case "json_object": jsonContent = #"{"answer":"a sandbox answer"}"#
    case "json_schema": jsonContent = SampleJSON.text(for: format["json_schema"]?["schema"])
    default: break
    }
  }

  /// Reads the tools. The answer calls a tool if `tool_choice` demands one, or if the last message
  /// names it.
  private mutating func readTools(_ root: JSONValue) {
    guard let tools = root["tools"], !root.isToolChoice("none") else { return }
    let wanted = root["tool_choice"]?["function"]?["name"]?.string
    for tool in tools.elements {
      guard let function = tool["function"], let name = function["name"]?.string else { continue }
      let isChosen =
        wanted.map { $0 == name } ?? (root.isToolChoice("required") || lastText.contains(name))
      if isChosen {
        toolCall = ToolCall(name: name, arguments: SampleJSON.text(for: function["parameters"]))
        return
      }
    }
  }
}

extension JSONValue {
  fileprivate func isToolChoice(_ choice: String) -> Bool {
    self["tool_choice"]?.isString(choice) ?? false
  }
}
