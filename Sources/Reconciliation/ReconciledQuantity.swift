/// A quantity that both sides count.
public enum ReconciledQuantity: String, CaseIterable, Comparable, Sendable {
  case requests
  case inputTokens = "input_tokens"
  case cachedTokens = "cached_tokens"
  case outputTokens = "output_tokens"
  case characters, seconds, images
  case webSearches = "web_search_calls"
  case fileSearches = "file_search_calls"
  case containerSessions = "container_sessions"
  /// All costs. Costs are in nano-units of a US dollar.
  case cost = "cost_usd"
  case inputCost = "input_cost_usd"
  case cachedInputCost = "cached_input_cost_usd"
  case cacheWriteCost = "cache_write_cost_usd"
  case audioInputCost = "audio_input_cost_usd"
  case imageInputCost = "image_input_cost_usd"
  case outputCost = "output_cost_usd"
  case audioOutputCost = "audio_output_cost_usd"
  case imageOutputCost = "image_output_cost_usd"
  /// The cost of minutes, characters and images that have a price of their own.
  case mediaCost = "media_cost_usd"
  case webSearchCost = "web_search_cost_usd"
  case fileSearchCost = "file_search_cost_usd"
  case containerCost = "container_cost_usd"

  public static func < (left: ReconciledQuantity, right: ReconciledQuantity) -> Bool {
    left.position < right.position
  }

  /// The uses of tools that the provider runs, which are counted beside tokens.
  static let ofTools: [ReconciledQuantity] = [.webSearches, .fileSearches, .containerSessions]

  static let costsOfModels: [ReconciledQuantity] = [
    .inputCost, .cachedInputCost, .cacheWriteCost, .audioInputCost, .imageInputCost, .outputCost,
    .audioOutputCost, .imageOutputCost, .mediaCost,
  ]
  static let costsOfTools: [ReconciledQuantity] = [.webSearchCost, .fileSearchCost, .containerCost]

  /// Whether figures of it are nano-units of a US dollar.
  public var isCost: Bool { self >= .cost }

  /// The counts that a part of a cost is the price of.
  var pricedCounts: [ReconciledQuantity] {
    switch self {
    case .inputCost, .cachedInputCost, .cacheWriteCost, .audioInputCost, .imageInputCost:
      [.requests, .inputTokens, .cachedTokens]
    case .outputCost, .audioOutputCost, .imageOutputCost: [.requests, .outputTokens]
    case .mediaCost: [.requests, .seconds, .characters, .images]
    case .webSearchCost: [.webSearches]
    case .fileSearchCost: [.fileSearches]
    case .containerCost: [.containerSessions]
    default: []
    }
  }

  /// The cost of a row's calls of a kind; nil if bills have no line for them.
  init?(costOfCalls kind: String) {
    switch ReconciledQuantity(callsOf: kind) {
    case .webSearches: self = .webSearchCost
    case .fileSearches: self = .fileSearchCost
    case .containerSessions: self = .containerCost
    default: return nil
    }
  }

  /// The quantity of a row's calls of a kind; nil if the provider doesn't report them.
  init?(callsOf kind: String) {
    switch kind {
    case "web_search": self = .webSearches
    case "file_search": self = .fileSearches
    case "code_interpreter", "shell": self = .containerSessions
    default: return nil
    }
  }

  private var position: Int { ReconciledQuantity.allCases.firstIndex(of: self) ?? 0 }
}

typealias ReconciledCounts = [ReconciledQuantity: Int64]

/// A part of a provider's report, as it stands in paths, and what of it is compared.
struct ReportPart {
  struct Member {
    let key: StaticString
    let quantity: ReconciledQuantity
  }

  let path: String
  /// By what its results are told apart; nil where a part knows no such thing as a model.
  let group: String?
  let members: [Member]

  private init(_ path: String, group: String?, _ members: [Member]) {
    self.path = path
    self.group = group
    self.members = members
  }

  /// Of parts whose results are requests to models.
  static let membersOfModels = [
    Member(key: "num_model_requests", quantity: .requests),
    Member(key: "input_tokens", quantity: .inputTokens),
    Member(key: "input_cached_tokens", quantity: .cachedTokens),
    Member(key: "output_tokens", quantity: .outputTokens),
    Member(key: "characters", quantity: .characters),
    Member(key: "seconds", quantity: .seconds), Member(key: "images", quantity: .images),
  ]

  /// Tools that the provider runs have parts of their own. The requests to models in which they
  /// were called, which the part of searches counts too, are those of the other parts.
  static let usage: [ReportPart] =
    [
      "completions", "embeddings", "moderations", "images", "audio_speeches",
      "audio_transcriptions", "decisions",
    ].map { ReportPart("usage/\($0)", group: "model", membersOfModels) } + [
      ReportPart(
        "usage/web_search_calls", group: "model",
        [Member(key: "num_requests", quantity: .webSearches)]),
      ReportPart(
        "usage/file_search_calls", group: nil,
        [Member(key: "num_requests", quantity: .fileSearches)]),
      ReportPart(
        "usage/code_interpreter_sessions", group: nil,
        [Member(key: "num_sessions", quantity: .containerSessions)]),
    ]

  static let costs = ReportPart("costs", group: "line_item", [])

  var isOfCosts: Bool { path == ReportPart.costs.path }
}
