internal import Ledger

/// A client's use of a model, over all operations.
struct ModelUse {
  let client: String
  let provider: String
  let name: String
  private(set) var sums: UsageSums

  /// Kinds of tokens that are shown even if they are zero.
  static let usualKinds: Set<TokenKind> = [.input, .cachedInput, .output, .reasoning]

  /// - Parameter sums: Sorted, so that the sums of a client and model are adjacent.
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
