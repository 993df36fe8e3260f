internal import Ledger

/// What a client used of a model, whatever for.
struct ModelUse {
  let client: String
  let provider: String
  let name: String
  private(set) var sums: UsageSums

  /// Kinds of tokens that are shown even where there are none.
  static let usualKinds: Set<TokenKind> = [.input, .cachedInput, .output, .reasoning]

  /// - Parameter sums: in order, so that what belongs together stands together.
  static func byModel(_ sums: [(key: RecordedUsage.Key, value: UsageSums)]) -> [ModelUse] {
    var models: [ModelUse] = []
    for (key, sums) in sums {
      if let last = models.last, last.client == key.clientID, last.provider == key.provider,
        last.name == key.model
      {
        models[models.count - 1].sums += sums
      } else {
        models.append(
          ModelUse(client: key.clientID, provider: key.provider, name: key.model, sums: sums))
      }
    }
    return models
  }
}
