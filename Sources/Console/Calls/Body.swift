internal import Configuration
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Money
internal import Time

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
  private static let largestMetadata = 4096

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

  func text(_ name: String) throws(APIError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string, PlainText.isValid(text) else {
      throw .invalidValue(name, allowed: PlainText.rule)
    }
    return text
  }

  /// The ID or name of a client, plan, key or budget; nil if the field is absent or null.
  func name(_ name: String) throws(APIError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string, EntityName.isValid(text) else {
      throw .invalidValue(name, allowed: EntityName.rule)
    }
    return text
  }

  func integer(_ name: String, in range: ClosedRange<Int64>) throws(APIError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw .invalidValue(
        name, allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func boolean(_ name: String) throws(APIError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let boolean = value.boolean else {
      throw .invalidValue(name, allowed: "true, false")
    }
    return boolean
  }

  func choice<Choice: CaseIterable & RawRepresentable<String>>(
    _ name: String, _: Choice.Type = Choice.self
  ) throws(APIError) -> Choice? {
    guard let value = value(name) else { return nil }
    guard let choice = value.string.flatMap({ Choice(rawValue: $0) }) else {
      throw .invalidValue(name, allowed: Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }

  /// An amount of money, as a decimal in text: `"50.00"`. A JSON number is not valid.
  ///
  /// - Returns: Nano-units.
  func amount(_ name: String) throws(APIError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let text = value.string, let money = try? Money(decimal: text, currency: .usd) else {
      throw .invalidValue(
        name, allowed: "a decimal in text with at most \(Money.places) places, such as \"50.00\"")
    }
    return money.nanoUnits
  }

  func currency(_ name: String) throws(APIError) -> Currency? {
    guard let value = value(name) else { return nil }
    guard let currency = value.string.flatMap({ Currency($0) }) else {
      throw .invalidValue(name, allowed: "the three letters of a currency, such as BRL")
    }
    return currency
  }

  func markup(_ name: String) throws(APIError) -> Markup? {
    guard let value = value(name) else { return nil }
    guard let markup = value.string.flatMap({ Markup($0) }) else {
      throw .invalidValue(name, allowed: Markup.rule)
    }
    return markup
  }

  func moment(_ name: String, in zone: TimeZoneRules) throws(APIError) -> Timestamp? {
    guard let value = value(name) else { return nil }
    guard let moment = value.string.flatMap({ Moment($0) }) else {
      throw .invalidValue(name, allowed: "a date, or an instant of RFC 3339 with its offset")
    }
    return moment.timestamp(in: zone)
  }

  /// An object with any members, as JSON text of at most 4 KiB.
  func smallObject(_ name: String) throws(APIError) -> String? {
    guard let value = value(name) else { return nil }
    var writer = JSONWriter()
    writer.value(value)
    guard value.kind == .object, value.repeatedKey == nil,
      writer.bytes.count <= Body.largestMetadata
    else { throw .invalidValue(name, allowed: "an object, at most 4 KiB") }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// A list whose items `read` reads. The field is not valid if `read` returns nil for an item.
  func list<Item>(
    _ name: String, atMost limit: Int, allowed: String, _ read: (JSONValue) -> Item?
  ) throws(APIError) -> [Item]? {
    guard let value = value(name) else { return nil }
    let elements = Array(value.elements)
    let items = elements.compactMap(read)
    guard value.kind == .array, items.count == elements.count, items.count <= limit else {
      throw .invalidValue(name, allowed: allowed)
    }
    return items
  }
}
