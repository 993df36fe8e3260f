internal import HTTP
internal import HTTPServer
internal import Metering
internal import Objects
internal import Pricing

/// Why Catraca answers a request itself, with an error.
indirect enum Refusal: Error {
  // Who is it?
  case invalidKey(KeyFault)
  /// Too many unknown keys came from this network: further ones aren't even answered as such.
  case tooManyWrongKeys(retryAfterSeconds: Int64)
  case modelNotAllowed(model: String)
  case operationNotAllowed(operation: String)
  case clientSuspended(client: String)
  /// The key has used up its requests or tokens a minute.
  case rateLimited(retryAfterSeconds: Int64)
  // What is it?
  case unknownPath(String)
  /// The path is served, by other methods: `GET, HEAD`.
  case methodNotAllowed(allowed: String)
  /// The path isn't plain: see `RequestTarget.plainPath(of:)`.
  case ambiguousPath
  case unknownProvider(String)
  /// The list of models doesn't have one of that name.
  case unknownModel(String)
  case endpointNotMetered(method: String, path: String)
  /// It is served over a WebSocket alone.
  case upgradeRequired(WebSocketUpgradeError)
  /// It is served over plain HTTP alone.
  case webSocketNotServed
  case unreadable(MeteringError)
  /// A line of a batch's input file is what is refused.
  case batchLine(Int64, Refusal)
  /// An object that isn't the client's own, or that nobody has.
  case unknownObject(ObjectReference)
  /// A list is asked for in a way that can't be served.
  case listQuery(ListQueryFault)
  case invalidMetadata
  case malformed(HTTPError)
  case bodyTooLarge(limit: Int)
  /// The decoded body is many times as large as the coded one.
  case bodyTooDense
  /// `Content-Encoding` names what requests may not have.
  case unknownCoding
  case headerTooLarge(limit: Int)
  case requestTimeout
  /// The bodies of all requests take as much memory as they may.
  case tooManyBodies
  /// Those of the same key do.
  case tooManyBodiesOfKey
  /// As many requests of the same key are under way as may be.
  case tooManyRequestsOfKey
  // What may it cost?
  /// - Parameters:
  ///   - detail: the part of the model that has no price; nil if the whole model has none.
  ///   - price: The price that is missing.
  case modelNotPriced(model: String, detail: String?, MissingPrice)
  // Can it be paid?
  case budget(BudgetRefusal)
  // Write it down; pass it on.
  case ledgerUnavailable
  /// The client has as much work under way that outlives its answers as it may have.
  case tooMuchDeferredWork(limit: Int)
  case overloaded
  /// The address of the client has as many connections open as it may have.
  case tooManyConnectionsOfAddress
  case shuttingDown
  case upstreamUnreachable(provider: String)
  case upstreamInvalid(provider: String)
  case upstreamTimeout(provider: String)
  /// The provider's answer can't be searched for objects.
  case unusableAnswer(provider: String, UnusableAnswer)
  /// The client has left: nobody is there to be answered.
  case clientLeft

  enum KeyFault {
    case missing, unknown, expired
  }
}

extension Refusal {
  /// A model of a provider that the price book doesn't have.
  static func modelNotPriced(_ name: String, of provider: String) -> Refusal {
    .modelNotPriced(
      model: name, detail: nil,
      MissingPrice(provider: provider, model: name, dimension: .model))
  }
}
