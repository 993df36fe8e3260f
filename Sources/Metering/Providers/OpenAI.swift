import JSON

extension ProviderDialect {
  /// OpenAI reports usage in a stream only if the request sets `stream_options.include_usage`. Its
  /// Responses API counts a request's input without making a response (`POST
  /// /responses/input_tokens`).
  public static let openAI = ProviderDialect(
    reportsStreamUsageUnasked: false, inputCountPath: Endpoints.inputTokens,
    reportsTranscriptDuration: true)
}

extension ProviderReports {
  /// Sound and pictures are listed separately. From gpt-5.6 on, cache writes are reported too.
  static let openAI = ProviderReports(
    hasCachedInput: true, hasModalities: true, cacheWriters: ["gpt-5.6", "gpt-6"],
    pricedTools: [OpenAI.webSearch, OpenAI.fileSearch], billsContainers: true)
}

/// OpenAI's own rules.
enum OpenAI {
  /// Upper bounds of an image's tokens, by the prefix of a model's name. The first match counts.
  ///
  /// Tile models: 85 tokens, and up to 8 tiles of 170. gpt-4o-mini multiplies both (2,833, and
  /// 5,667 a tile). Patch models: up to 1,536 patches at up to 2.46 tokens, also with the detail
  /// `low`. Newer models take `original`, with up to 10,000 patches. All numbers are rounded up.
  static let imageTokens: [(prefix: String, tokens: ImageTokens)] = [
    ("gpt-4o-mini", ImageTokens(low: 3_000, full: 50_000)),
    ("gpt-4o", ImageTokens(low: 100, full: 1_500)),
    ("gpt-4.1", ImageTokens(low: 4_000, full: 4_000)),
    ("gpt-5", ImageTokens(low: 4_000, full: 25_000)),
    ("gpt-6", ImageTokens(low: 4_000, full: 25_000)),
    ("gpt-image", ImageTokens(low: 8_000, full: 8_000)),
    ("chatgpt-image", ImageTokens(low: 8_000, full: 8_000)),
  ]

  /// Whether the model's conversations have sound.
  static func speaksInConversations(model: String) -> Bool {
    model.hasFragment("-audio")
  }

  /// Whether the model speaks and is priced by tokens; older ones are priced by characters.
  static func speaksByToken(model: String) -> Bool {
    model.hasPrefix("gpt-")
  }

  /// Whether the model searches the web for every answer, even without `web_search_options`.
  static func alwaysSearches(model: String) -> Bool {
    model.hasFragment("-search-")
  }

  /// The completion window of a response that is made as soon as possible, at the usual prices.
  static let soonest = "soonest"

  // The names of calls that are billed separately from tokens, in reports and in the price book.
  // Chat answers don't report the number of searches: a request that could have searched is charged
  // one.
  static let webSearch = "web_search"
  static let fileSearch = "file_search"
  /// A session of a container.
  static let codeInterpreter = "code_interpreter"
  static let imageGeneration = "image_generation"
  static let shell = "shell"

  /// The types of calls in a response's output that have no fee of their own.
  static let freeCalls: Set<String> = [
    "function_call", "custom_tool_call", "mcp_call", "tool_search_call", "computer_call",
    "apply_patch_call", "local_shell_call", "multi_agent_call",
  ]

  /// Whether the app runs a declared tool. The answer then ends with the call, and the app sends
  /// the result in its next request. A namespace runs nothing: its tools are read separately.
  static func isRunByClient(_ type: String, _ tool: JSONValue) -> Bool {
    switch type {
    case "function", "custom", "local_shell", "apply_patch", "computer", "computer_use_preview",
      "namespace":
      true
    case shell: tool["environment"]?["type"]?.isString("local") ?? false
    default: false
    }
  }

  /// Whether the request itself describes a tool that the app runs. The provider describes the
  /// other tools to the model, in words that a request doesn't show.
  static func isDescribedByClient(_ type: String) -> Bool {
    type == "function" || type == "custom" || type == "namespace"
  }

  /// Returns the name of the price of a declared tool; nil for a tool that has none, or that runs
  /// in a container.
  static func surcharge(ofTool type: String) -> String? {
    if type.hasPrefix(webSearch) || type == "browser_search" { return webSearch }
    switch type {
    case fileSearch: return type
    default: return nil
    }
  }

  /// The model that draws for a response's tool `image_generation` if the tool names none.
  static let imageModel = "gpt-image-2.6-sunburst"
}
