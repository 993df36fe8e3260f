internal import HTTPServer
internal import JSON

/// The body of a call: a JSON object that has only fields that the call allows.
struct Body {
  private let fields: [String: JSONValue]

  static let largest = 1 << 20
  /// The most bytes of a body whose sender is known only by its signature: an event of the payment
  /// provider.
  static let largestSigned = 256 << 10
  /// The most bytes of a form that needs no session, such as the sign-in.
  static let largestForm = 4 << 10
  private static let largestDepth = 32

  /// Reads the bytes of a request's body.
  ///
  /// - Parameters:
  ///   - limit: The most bytes.
  ///   - beforeCredential: Whether the sender isn't identified yet.
  /// - Throws: `tooLarge`, `requestTimeout`, or an error of the server's limits.
  static func read(
    from exchange: HTTPExchange, limit: Int = largest, beforeCredential: Bool = false
  ) async throws(APIError) -> [UInt8] {
    do throws(HTTPExchangeError) {
      return try await exchange.readBody(limit: limit, beforeCredential: beforeCredential)
    } catch {
      switch error {
      case .bodyTooLarge: throw .tooLarge(limit: limit)
      case .invalidBody(let error): throw .malformed(error)
      case .bodyMemoryExhausted: throw .tooManyBodies
      case .bodyShareExhausted: throw .tooManyBodiesOfCaller
      case .requestShareExhausted: throw .tooManyRequestsOfCaller
      case .bodyTimeout, .disconnected, .alreadyAnswered, .notUpgradable: throw .requestTimeout
      }
    }
  }

  /// - Parameter bytes: JSON text. No bytes mean an empty object.
  init(_ bytes: [UInt8], allowed: [String]) throws(APIError) {
    guard !bytes.isEmpty else {
      self.init()
      return
    }
    let root: JSONValue
    do {
      root = try JSONParser(largestDepth: Body.largestDepth).parse(bytes)
    } catch {
      throw .invalidJSON("\(error)")
    }
    guard root.kind == .object else { throw .invalidJSON("it is another value") }
    try self.init(root, allowed: allowed)
  }

  private init() {
    fields = [:]
  }

  private init(_ root: JSONValue, allowed: [String]) throws(APIError) {
    if let key = root.repeatedKey { throw .invalidJSON("\(key) stands there twice") }
    var fields: [String: JSONValue] = [:]
    for member in root.members {
      guard let key = member.key.string else { continue }
      guard allowed.contains(key) else { throw .unknownField(key, allowed: allowed) }
      fields[key] = member.value
    }
    self.fields = fields
  }

  /// Whether the body has the field, also if it is null.
  func has(_ name: String) -> Bool { fields[name] != nil }

  /// The value of a field; nil if it is absent or null.
  func value(_ name: String) -> JSONValue? {
    fields[name].flatMap { $0.isNull ? nil : $0 }
  }

  /// The object in a field; nil if it is absent or null.
  func object(_ name: String, allowed: [String]) throws(APIError) -> Body? {
    guard let value = value(name) else { return nil }
    guard value.kind == .object else {
      throw .invalidValue(name, allowed: "an object of \(allowed.joined(separator: ", "))")
    }
    return try Body(value, allowed: allowed)
  }

  func require<Value>(_ name: String, _ value: Value?) throws(APIError) -> Value {
    guard let value else { throw .missingField(name) }
    return value
  }
}
