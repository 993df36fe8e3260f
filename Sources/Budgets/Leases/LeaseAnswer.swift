/// The ledger's answer to a `LeaseRequest`.
public struct LeaseAnswer: Hashable, Sendable {
  public let lease: LeaseID
  /// The amount added to the lease; zero if too little was left.
  public let added: Spend
  /// The standing of the account or credit after the lease, read in the same statement.
  public let standing: SharedStanding

  /// - Parameter standing: The standing of the request's source.
  public init(to request: LeaseRequest, added: Spend, standing: SharedStanding) {
    precondition(added.tokens >= 0 && added.nanoUnits >= 0, "nothing is leased below zero")
    lease = request.lease
    self.added = added
    self.standing = standing
  }
}
