public import Time

/// A model that requests asked for and that was refused for want of a price.
public struct UnpricedModel: Hashable, Sendable {
  /// As the request named it; what is too long to be a name is cut.
  public let model: String
  /// What of it has no price, such as a service tier; nil for all of it.
  public let detail: String?
  /// Who asked last; nil where nobody knows.
  public let clientID: String?
  /// How many were refused.
  public let requests: Int64
  public let lastSeen: Timestamp

  private static let longestName = 128

  public init(
    _ model: String, detail: String?, clientID: String?, requests: Int64 = 1, lastSeen: Timestamp
  ) {
    self.model = String(model.prefix(UnpricedModel.longestName))
    self.detail = detail.map { String($0.prefix(UnpricedModel.longestName)) }
    self.clientID = clientID
    self.requests = requests
    self.lastSeen = lastSeen
  }
}
