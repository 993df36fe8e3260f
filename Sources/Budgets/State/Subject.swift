/// The subject that an account counts: one client, user, key, model or conversation.
public struct Subject: Hashable, Sendable, CustomStringConvertible {
  public let kind: BudgetDefinition.Per
  /// The name within its kind. Empty for requests that supply no name; they share one account.
  ///
  /// In a budget over all clients, the client precedes names that are unique only within a client
  /// (`acme/u1`). The single subject of kind `client` is `*`.
  public let value: String

  public init(kind: BudgetDefinition.Per, value: String) {
    self.kind = kind
    self.value = value
  }

  /// Parses `user:u1`; nil unless the text begins with a kind and a colon.
  public init?(text: some StringProtocol) {
    guard let colon = text.firstIndex(of: ":"),
      let kind = BudgetDefinition.Per(rawValue: String(text[..<colon]))
    else { return nil }
    self.init(kind: kind, value: String(text[text.index(after: colon)...]))
  }

  /// The subject's name in refusals, logs and the ledger: `user:u1`.
  public var description: String { "\(kind.rawValue):\(value)" }
}

/// The names of a request by which its budgets are found.
public struct Caller: Hashable, Sendable {
  public let client: String
  public let key: String
  /// The client's own end user; empty if the request names none.
  public let user: String
  /// The request's conversation; empty if it has none.
  public let conversation: String
  public let model: String

  public init(client: String, key: String, user: String, conversation: String, model: String) {
    self.client = client
    self.key = key
    self.user = user
    self.conversation = conversation
    self.model = model
  }

  /// Returns the subject's value in a budget that counts by `kind`.
  func value(per kind: BudgetDefinition.Per) -> String {
    switch kind {
    case .client: client
    case .key: key
    case .user: user
    case .conversation: conversation
    case .model: model
    }
  }

  /// Returns the subject's value in a budget over all clients, where equal names of different
  /// clients must stay separate.
  func valueOverEverything(per kind: BudgetDefinition.Per) -> String {
    switch kind {
    case .client: BudgetID.everything
    case .model: model
    case .key, .user, .conversation:
      BudgetID.valueOverEverything(of: value(per: kind), client: client)
    }
  }
}

extension BudgetID {
  /// Returns the value of a subject whose name is unique only within its client.
  func valueOfSubject(called name: String, of client: String) -> String {
    self.client == BudgetID.everything
      ? BudgetID.valueOverEverything(of: name, client: client) : name
  }

  /// Returns the value of such a subject in a budget over all clients.
  fileprivate static func valueOverEverything(of name: String, client: String) -> String {
    "\(client)/\(name)"
  }
}
