/// An amount that replicas lease parts of.
public enum LeaseSource: Hashable, Sendable {
  /// An account's limit.
  case account(AccountKey)
  /// A credit that a client has beside its plan.
  case credit(CreditKey)

  public var account: AccountKey? { if case .account(let key) = self { key } else { nil } }
}

/// Identifies one credit of one client.
public struct CreditKey: Hashable, Sendable {
  public let id: Int64
  public let client: String

  public init(id: Int64, client: String) {
    self.id = id
    self.client = client
  }
}
