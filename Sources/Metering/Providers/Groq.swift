import JSON

extension ProviderDialect {
  /// Groq reports usage in `x_groq.usage` of the chunk that finishes a stream, requested or not, so
  /// the request needs no addition. Its lists have no pages. It keeps no responses, so the ID of an
  /// item names nothing.
  public static let groq = ProviderDialect(
    reportsStreamUsageUnasked: true, writesSubtitles: false, hasListPages: false,
    keepsItems: false)
}

extension ProviderReports {
  /// Code that runs at Groq is billed by the hour, and isn't reported.
  static let groq = ProviderReports(
    hasCachedInput: true, pricedTools: ["web_search", "visit_website"])
}

/// Groq's own rules.
enum Groq {
  /// Whether the model is a compound model. Compound models search and read web pages, whose text
  /// is billed as input.
  static func readsWeb(model: String) -> Bool {
    model.hasPrefix("groq/compound") || model.hasPrefix("compound-beta")
  }

  /// Returns the usage of each model of a compound answer: `{"models":[{"model","usage"}]}`.
  ///
  /// The breakdown is a member beside `usage`, or in a stream in `x_groq`. It is billed instead of
  /// `usage`, which is its sum. The breakdown and its `models` may be null.
  static func breakdown(_ value: JSONValue?) -> [ModelUsage] {
    var result: [ModelUsage] = []
    guard let models = value?["models"] else { return [] }
    for entry in models.elements {
      // If one entry can't be read, the whole breakdown is discarded: `usage` has the sum.
      guard let model = entry["model"]?.string, let usage = ReportedUsage.read(entry["usage"]).usage
      else { return [] }
      result.append(ModelUsage(model: model, usage: usage.usage))
    }
    return result
  }

  /// Returns the name of a tool that a compound model ran on the server.
  static func toolName(_ tool: JSONValue) -> String {
    tool["type"]?.string ?? tool["name"]?.string ?? "unknown"
  }

  /// Returns the name of a tool's price among the surcharges, by the names observed in answers; nil
  /// for any other. Code is billed by the hour and isn't reported, so the price book has no price
  /// for it.
  static func surcharge(ofTool name: String) -> String? {
    switch name {
    case "search", "web_search", "browser_search", "browser.search": "web_search"
    case "open", "visit", "visit_website", "browser.open": "visit_website"
    case "python", "code_interpreter": "code_interpreter"
    default: nil
    }
  }

  /// The most tools that Groq runs for an answer if no limit can be set.
  static let mostToolCalls: Int64 = 10

  /// Returns the most tools that a compound model runs for an answer; nil for other models.
  static func toolCalls(model: String) -> Int64? {
    guard readsWeb(model: model) else { return nil }
    return model.hasSuffix("-mini") ? 1 : mostToolCalls
  }
}
