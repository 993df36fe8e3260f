import JSON

extension ProviderDialect {
  /// Groq puts usage into `x_groq.usage` of the chunk that finishes a stream, asked or not, so
  /// nothing needs to be added to the request. Its lists are sent whole. It keeps no
  /// response, so that the id of an item names nothing.
  public static let groq = ProviderDialect(
    reportsStreamUsageUnasked: true, writesSubtitles: false, hasListPages: false,
    keepsItems: false)
}

extension ProviderReports {
  /// Code that runs at Groq is billed by the hour, and not reported.
  static let groq = ProviderReports(
    hasCachedInput: true, pricedTools: ["web_search", "visit_website"])
}

/// What is peculiar to Groq.
enum Groq {
  /// Compound models search and read web pages, whose text is billed as input.
  static func readsWeb(model: String) -> Bool {
    model.hasPrefix("groq/compound") || model.hasPrefix("compound-beta")
  }

  /// The usage of each model that a compound answer used: `{"models":[{"model","usage"}]}`, which
  /// stands beside `usage`, or in a stream in `x_groq`. It is billed instead of `usage`, which is
  /// its sum. The breakdown and its `models` may be null.
  static func breakdown(_ value: JSONValue?) -> [ModelUsage] {
    var result: [ModelUsage] = []
    guard let models = value?["models"] else { return [] }
    for entry in models.elements {
      // One that can't be read makes all of it useless: `usage` has the sum.
      guard let model = entry["model"]?.string, let usage = ReportedUsage(entry["usage"])
      else { return [] }
      result.append(ModelUsage(model: model, usage: usage.usage))
    }
    return result
  }

  /// What a tool is called that a compound model ran on the server.
  static func toolName(_ tool: JSONValue) -> String {
    tool["type"]?.string ?? tool["name"]?.string ?? "unknown"
  }

  /// The name of a tool's price among the surcharges, by the names that were seen in answers; nil
  /// for any other. Code is billed by the hour and not reported, so that it has no price there.
  static func surcharge(ofTool name: String) -> String? {
    switch name {
    case "search", "web_search", "browser_search", "browser.search": "web_search"
    case "open", "visit", "visit_website", "browser.open": "visit_website"
    case "python", "code_interpreter": "code_interpreter"
    default: nil
    }
  }

  /// How many tools Groq runs for an answer at most, where no limit can be set.
  static let mostToolCalls: Int64 = 10

  /// How many tools a compound model runs for an answer at most; nil for other models.
  static func toolCalls(model: String) -> Int64? {
    guard readsWeb(model: model) else { return nil }
    return model.hasSuffix("-mini") ? 1 : mostToolCalls
  }
}
