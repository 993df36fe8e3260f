/// What both sides count.
enum ReconciledQuantity: String, CaseIterable, Comparable {
  case requests
  case inputTokens = "input_tokens"
  case cachedTokens = "cached_tokens"
  case outputTokens = "output_tokens"
  case characters, seconds, images
  case webSearches = "web_search_calls"
  case fileSearches = "file_search_calls"
  case containerSessions = "container_sessions"
  /// In nano-units of a US dollar.
  case cost = "cost_usd"

  static func < (left: ReconciledQuantity, right: ReconciledQuantity) -> Bool {
    left.position < right.position
  }

  /// What tools that the provider runs are called for, beside tokens.
  static let ofTools: [ReconciledQuantity] = [.webSearches, .fileSearches, .containerSessions]

  /// What a row's calls of a kind are counted as; nil where the provider has no report of them.
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
