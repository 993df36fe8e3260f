public import Budgets
public import Time

/// Tokens or money that a client may use beside its plan, as `token_credits` records them.
public struct StoredCredit: Hashable, Sendable {
  /// Increases with each credit; 0 before the credit is recorded.
  public var id: Int64
  public var clientID: String
  public var granted: Credit.Amount
  /// The amount that settled requests have left, in the same unit.
  public var remaining: Credit.Amount
  /// The time of expiry; nil if the credit never expires.
  public var expiresAt: Timestamp?
  public var note: String?
  public var createdAt: Timestamp

  /// Creates a credit that hasn't been drawn on.
  public init(
    clientID: String, granted: Credit.Amount, expiresAt: Timestamp? = nil, note: String? = nil,
    createdAt: Timestamp
  ) {
    self.init(
      id: 0, clientID: clientID, granted: granted, remaining: granted, expiresAt: expiresAt,
      note: note, createdAt: createdAt)
  }

  init(
    id: Int64, clientID: String, granted: Credit.Amount, remaining: Credit.Amount,
    expiresAt: Timestamp?, note: String?, createdAt: Timestamp
  ) {
    self.id = id
    self.clientID = clientID
    self.granted = granted
    self.remaining = remaining
    self.expiresAt = expiresAt
    self.note = note
    self.createdAt = createdAt
  }

  /// The credit's name in the API: `crd_01`.
  public var name: String { StoredCredit.name(of: id) }

  static func name(of id: Int64) -> String { "crd_\(id < 10 ? "0" : "")\(id)" }

  /// The credit for the budget state.
  public var credit: Credit {
    Credit(
      id: id, client: clientID, granted: granted, remaining: remaining, expiresAt: expiresAt)
  }

  var key: CreditKey { CreditKey(id: id, client: clientID) }
}
