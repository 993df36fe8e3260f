/// What both sides count.
enum ReconciledQuantity: String, CaseIterable, Comparable {
  case requests
  case inputTokens = "input_tokens"
  case cachedTokens = "cached_tokens"
  case outputTokens = "output_tokens"
  case characters, seconds, images
  /// In nano-units of a US dollar.
  case cost = "cost_usd"

  static func < (left: ReconciledQuantity, right: ReconciledQuantity) -> Bool {
    left.position < right.position
  }

  private var position: Int { ReconciledQuantity.allCases.firstIndex(of: self) ?? 0 }
}

typealias ReconciledCounts = [ReconciledQuantity: Int64]
