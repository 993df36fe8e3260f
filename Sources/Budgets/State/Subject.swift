/// Whose use an account counts: one client, user, key, model or conversation.
public struct Subject: Hashable, Sendable, CustomStringConvertible {
  public let kind: BudgetDefinition.Per
  /// The name within its kind. Empty where the requests name nobody: they share one account.
  ///
  /// In a budget over everything, names that only mean something within a client are preceded by
  /// it (`acme/u1`), and the one subject of kind `client` is `*`.
  public let value: String

  public init(kind: BudgetDefinition.Per, value: String) {
    self.kind = kind
    self.value = value
  }

  /// Reads `user:u1`; nil unless the text begins with a kind and a colon.
  public init?(text: some StringProtocol) {
    guard let colon = text.firstIndex(of: ":"),
      let kind = BudgetDefinition.Per(rawValue: String(text[..<colon]))
    else { return nil }
    self.init(kind: kind, value: String(text[text.index(after: colon)...]))
  }

  /// `user:u1`, as refusals, logs and the ledger name it.
  public var description: String { "\(kind.rawValue):\(value)" }
}

/// Who makes a request, and for what: the names by which budgets are found.
public struct Caller: Hashable, Sendable {
  public let client: String
  public let key: String
  /// The client's own end user; empty where the request names none.
  public let user: String
  /// Empty where the request belongs to none.
  public let conversation: String
  public let model: String

  public init(client: String, key: String, user: String, conversation: String, model: String) {
    self.client = client
    self.key = key
    self.user = user
    self.conversation = conversation
    self.model = model
  }

  /// The subject's value by which a budget `per` something counts this caller.
  func value(per kind: BudgetDefinition.Per) -> String {
    switch kind {
    case .client: client
    case .key: key
    case .user: user
    case .conversation: conversation
    case .model: model
    }
  }

  /// The same for a budget over everything, where clients' users, keys and conversations of the
  /// same name must stay apart.
  func valueOverEverything(per kind: BudgetDefinition.Per) -> String {
    switch kind {
    case .client: BudgetID.everything
    case .model: model
    case .key, .user, .conversation: "\(client)/\(value(per: kind))"
    }
  }
}
