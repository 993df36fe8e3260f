import JSON

extension ProviderDialect {
  /// OpenAI reports usage in a stream only to requests with `stream_options.include_usage`. Its
  /// Responses API counts the input of a request that isn't made (`POST /responses/input_tokens`).
  public static let openAI = ProviderDialect(
    reportsStreamUsageUnasked: false, inputCountPath: Endpoints.inputTokens,
    reportsTranscriptDuration: true)
}

extension ProviderReports {
  /// Sound and pictures are listed apart. From gpt-5.6 on, writing to the cache is reported, too.
  static let openAI = ProviderReports(
    hasCachedInput: true, hasModalities: true, cacheWriters: ["gpt-5.6", "gpt-6"],
    pricedTools: [OpenAI.webSearch, OpenAI.fileSearch], billsContainers: true)
}

/// What is peculiar to OpenAI.
enum OpenAI {
  /// How many tokens an image can take, by the start of a model's name; the first that fits counts.
  ///
  /// Tile models: 85 tokens, and up to 8 tiles of 170. gpt-4o-mini multiplies both (2,833, and
  /// 5,667 a tile). Patch models: up to 1,536 patches at up to 2.46 tokens, also with the detail
  /// `low`. Newer models take `original`, with up to 10,000 patches. Rounded up.
  static let imageTokens: [(prefix: String, tokens: ImageTokens)] = [
    ("gpt-4o-mini", ImageTokens(low: 3_000, full: 50_000)),
    ("gpt-4o", ImageTokens(low: 100, full: 1_500)),
    ("gpt-4.1", ImageTokens(low: 4_000, full: 4_000)),
    ("gpt-5", ImageTokens(low: 4_000, full: 25_000)),
    ("gpt-6", ImageTokens(low: 4_000, full: 25_000)),
    ("gpt-image", ImageTokens(low: 8_000, full: 8_000)),
    ("chatgpt-image", ImageTokens(low: 8_000, full: 8_000)),
  ]

  /// Models whose conversations have sound.
  static func speaksInConversations(model: String) -> Bool {
    model.hasFragment("-audio")
  }

  /// Models that speak and are priced by tokens; the older ones are priced by characters.
  static func speaksByToken(model: String) -> Bool {
    model.hasPrefix("gpt-")
  }

  /// Models named so search the web for every answer, also without `web_search_options`.
  static func alwaysSearches(model: String) -> Bool {
    model.hasFragment("-search-")
  }

  /// The completion window of a response that is made as soon as can be, at the usual prices.
  static let soonest = "soonest"

  // What calls that are billed outside tokens are called, in reports and in the price book. Chat
  // answers don't say how often was searched: one call for a request that could.
  static let webSearch = "web_search"
  static let fileSearch = "file_search"
  /// A session of a container.
  static let codeInterpreter = "code_interpreter"
  static let imageGeneration = "image_generation"
  static let shell = "shell"

  /// Whether a declared tool is run by the app. The answer ends with the call then, and the app
  /// sends the result in its next request. A namespace runs nothing: its tools are read apart.
  static func isRunByClient(_ type: String, _ tool: JSONValue) -> Bool {
    switch type {
    case "function", "custom", "local_shell", "apply_patch", "computer", "computer_use_preview",
      "namespace":
      true
    case shell: tool["environment"]?["type"]?.isString("local") ?? false
    default: false
    }
  }

  /// Whether the request says itself what a tool is that the app runs. The provider describes the
  /// others to the model, in words that a request doesn't show.
  static func isDescribedByClient(_ type: String) -> Bool {
    type == "function" || type == "custom" || type == "namespace"
  }

  /// The name of the price of a tool that a request declares; nil for one that has none, or runs in
  /// a container.
  static func surcharge(ofTool type: String) -> String? {
    if type.hasPrefix(webSearch) || type == "browser_search" { return webSearch }
    switch type {
    case fileSearch: return type
    default: return nil
    }
  }

  /// The model by which a response draws where its tool `image_generation` names none.
  static let imageModel = "gpt-image-2.6-sunburst"
}
