internal import Configuration
internal import HTTP
internal import HTTPServer
internal import Metering
internal import Objects
internal import Pricing

/// A client's request for a realtime session, checked: who asks, and for which model.
struct RealtimeRequest {
  let identity: Identity
  let upgrade: WebSocketUpgrade
  let model: String
  /// The provider that the path names, if it names one.
  let providerName: String?
  /// The objects at the provider that the query names.
  let references: [ObjectReference]
  private let caller: MeteredRequest

  /// Browsers can't set `Authorization`, and offer the key as a subprotocol.
  static let keyProtocolPrefix = "openai-insecure-api-key."

  /// Parameters that join a session which was begun elsewhere, or have it only write down.
  private static let unsupportedParameters: Set<String> = ["call_id", "intent"]

  init(
    for pipeline: RequestPipeline, identity: Identity, providerName: String?
  ) throws(Refusal) {
    self.identity = identity
    self.providerName = providerName
    do throws(WebSocketUpgradeError) {
      upgrade = try WebSocketUpgrade(of: pipeline.exchange.head)
    } catch {
      throw .upgradeRequired(error)
    }
    let query = pipeline.exchange.head.query
    model = try RealtimeRequest.model(in: query ?? "")
    references =
      try RealtimeRequest.references(in: query, model)
      + ObjectReferences.inFields(pipeline.exchange.head.fields)
    var facts = RequestFacts(operation: .realtime, model: model)
    facts.stream = true
    caller = try MeteredRequest(
      for: pipeline, identity: identity, endpoint: Endpoints.realtime, providerName: providerName,
      facts: facts)
  }

  /// The objects at the provider that the query names: a tuned model is one.
  ///
  /// - Throws: 400 for more of them than a request may name.
  private static func references(
    in query: String?, _ model: String
  ) throws(Refusal) -> [ObjectReference] {
    do throws(TooManyReferences) {
      let named = try ObjectReferences.inQuery(query, list: nil)
      guard let kind = ObjectKind(ofID: model) else { return named }
      return named.filter { $0.id != model } + [ObjectReference(kind, model, at: "model")]
    } catch {
      throw .unreadable(.tooManyReferences)
    }
  }

  /// The subprotocols that the client offers, without those that act on the provider's account.
  var protocols: [String] {
    upgrade.protocols.filter { offered in
      let lowercased = offered.lowercased()
      return !RealtimeRequest.accountPrefixes.contains { lowercased.hasPrefix($0) }
    }
  }

  /// Beginnings of subprotocols that choose an account: they don't pass.
  private static let accountPrefixes = [
    keyProtocolPrefix, "openai-organization.", "openai-project.",
  ]

  /// One response or transcription of the session, as a request of its own.
  func metered(_ facts: RequestFacts, _ endpoint: Endpoint) -> MeteredRequest {
    MeteredRequest(facts, endpoint: endpoint, like: caller)
  }

  /// The one `model` of a query. A name with an escape could be read differently by others, and
  /// some part parameters at semicolons too.
  static func model(in query: String) throws(Refusal) -> String {
    var model: String?
    guard !query.utf8.contains(UInt8(ascii: ";")) else {
      throw .unreadable(.invalid(param: "query", expected: "without semicolons"))
    }
    for parameter in query.split(separator: "&") {
      let sides = parameter.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(sides[0])
      // `Model`, `model[]` or `mod%65l` is `model` to some readers.
      guard name.utf8.allSatisfy(isPlainNameByte) else {
        throw .unreadable(
          .invalid(param: "query", expected: "of names with small letters, digits, '_' and '-'"))
      }
      if unsupportedParameters.contains(name) {
        throw .unreadable(
          .unsupported(
            param: name, reason: "Realtime sessions with '\(name)' can't be metered yet."))
      }
      guard name == "model" else { continue }
      guard model == nil else { throw .unreadable(.repeatedMember("model")) }
      guard sides.count == 2, !sides[1].isEmpty,
        sides[1].utf8.count <= RequestFacts.longestName,
        !sides[1].utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") })
      else { throw .unreadable(.invalid(param: "model", expected: "a name without escapes")) }
      model = String(sides[1])
    }
    guard let model else { throw .unreadable(.missing(param: "model")) }
    return model
  }

  private static func isPlainNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
