internal import Configuration
internal import HTTP
internal import Metering
internal import Pricing
internal import TLS
internal import Time

/// The identity behind a request: the client that pays, and its key.
///
/// A class for the same reason as `MeteredRequest`.
final class Identity: Sendable {
  let client: Client
  let key: ClientKey

  /// Reads `Authorization: Bearer sk-ctr-…` and finds its owner. Browsers can't set that on a
  /// WebSocket, and offer the key as a subprotocol instead.
  ///
  /// The key's SHA-256 is looked up, never the key: how long it takes says nothing about keys
  /// that exist.
  init(
    of head: RequestHead, among clients: ClientRegistry, at now: Timestamp
  ) throws(Refusal) {
    guard let secret = head.fields.bearerToken ?? Identity.offered(head) else {
      throw .invalidKey(.missing)
    }
    let digest = KeyDigest(words: SHA256.digest(of: secret).words)
    guard let owner = clients.owner(of: digest) else { throw .invalidKey(.unknown) }
    guard !owner.key.isExpired(at: now) else { throw .invalidKey(.expired) }
    guard !owner.client.isPaused else {
      throw .clientSuspended(client: owner.client.id)
    }
    client = owner.client
    key = owner.key
  }

  // MARK: Limits of the key

  /// Whether there are models or kinds of work that the key may not ask for.
  var isLimited: Bool { key.models != nil || key.operations != nil }

  /// Checks that the key may ask a model for a kind of work.
  ///
  /// Every way on which a request names a model comes here: its body, a tool in it, a line of a
  /// batch, an event of a session.
  func check(_ model: String, for operation: Operation) throws(Refusal) {
    try check(model: model)
    try check(operation)
  }

  /// Checks that the key may ask for a model where the kind of work isn't known.
  ///
  /// Some servers take several names with commas between them, and ask all of these models.
  func check(model: String) throws(Refusal) {
    if key.models == nil { return }
    for name in model.split(separator: ",", omittingEmptySubsequences: false) {
      let name = name.drop { $0 == " " }
      guard key.allows(model: String(name)) else { throw .modelNotAllowed(model: model) }
    }
  }

  /// Checks that the key may ask for a kind of work whose models are named elsewhere.
  func check(_ operation: Operation) throws(Refusal) {
    guard key.allows(operation) else {
      throw .operationNotAllowed(operation: operation.rawValue)
    }
  }

  /// Checks all models that a request names: its own, those that may answer in its place, and
  /// those that its tools use.
  ///
  /// Example: a key with `models: [gpt-5]` may not declare the tool `image_generation`, which draws
  /// by a model of its own. With `operations: [responses]` it may not either: that is the operation
  /// `image`.
  func check(_ facts: RequestFacts) throws(Refusal) {
    try check(facts.model, for: facts.operation)
    if let model = facts.imageToolModel { try check(model, for: .image) }
    try check(facts.otherModels, for: facts.operation)
  }

  /// Checks models that a request names beside its own.
  ///
  /// - Parameter operation: the kind of work that they are for; nil where it isn't known, as in a
  ///   request to a path that an operator has opened. Drawing is one of its own in any case.
  func check(_ models: NamedModels, for operation: Operation?) throws(Refusal) {
    for name in models.names {
      try check(model: name)
      let kind = models.drawing.contains(name) ? .image : operation
      if let kind { try check(kind) }
    }
  }

  /// Whether the key may ask for a model by that name, for any kind of work.
  func mayAsk(for model: PricedModel, named name: String) -> Bool {
    key.allows(model: name)
      && model.declaration.operation.kindsOfRequests.contains { key.allows($0) }
  }

  private static func offered(_ head: RequestHead) -> String? {
    guard !head.fields.contains(.authorization), let upgrade = try? WebSocketUpgrade(of: head)
    else { return nil }
    let prefix = RealtimeRequest.keyProtocolPrefix
    return upgrade.protocols.first { $0.hasPrefix(prefix) }.map {
      String($0.dropFirst(prefix.count))
    }
  }
}
