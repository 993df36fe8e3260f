/// What the ledger has done about a `LeaseRequest`.
public struct LeaseAnswer: Hashable, Sendable {
  public let lease: LeaseID
  /// What was added to the lease; nought where too little was left.
  public let added: Spend
  /// How what it is of stands after that, as one statement has read it.
  public let standing: SharedStanding

  /// - Parameter standing: of what was asked for.
  public init(to request: LeaseRequest, added: Spend, standing: SharedStanding) {
    precondition(added.tokens >= 0 && added.nanoUnits >= 0, "nothing is leased below zero")
    lease = request.lease
    self.added = added
    self.standing = standing
  }
}
