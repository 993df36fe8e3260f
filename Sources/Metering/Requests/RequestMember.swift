internal import JSON

/// Reads the members of a request's body. Each function returns a member's value, or throws an
/// error that states the allowed values.
enum RequestMember {
  static func boolean(_ value: JSONValue, _ param: String) throws(MeteringError) -> Bool {
    guard let boolean = value.boolean else {
      throw .invalid(param: param, expected: "true, false or null")
    }
    return boolean
  }

  static func integer(
    _ value: JSONValue, _ param: String, in range: ClosedRange<Int64>
  ) throws(MeteringError) -> Int64 {
    guard let integer = value.integer, range.contains(integer) else {
      let expected = "an integer from \(range.lowerBound) to \(range.upperBound), or null"
      throw .invalid(param: param, expected: expected)
    }
    return integer
  }

  /// Batches and decisions have their own tiers with lower prices. If another request names such a
  /// tier, the provider serves and bills it at another one, so the name is refused.
  static func tier(_ value: JSONValue, _ param: String) throws(MeteringError) -> String {
    let tier = try name(value, param)
    guard tier != BatchLine.tier, tier != Endpoints.decisions.tier else {
      throw .invalid(param: param, expected: "a tier that requests can name, not '\(tier)'")
    }
    return tier
  }

  /// Returns the name of a user or conversation. Unlike other names, it is stored with the request.
  static func identifier(
    _ value: JSONValue, _ param: String
  ) throws(MeteringError) -> String {
    guard let text = value.string else { throw .invalidIdentifier(param: param) }
    try RequestFacts.check(identifier: text, param: param)
    return text
  }

  static func name(_ value: JSONValue, _ param: String) throws(MeteringError) -> String {
    guard let length = value.utf8Count, length <= RequestFacts.longestName,
      let name = value.string
    else {
      let expected = "a string of at most \(RequestFacts.longestName) bytes"
      throw .invalid(param: param, expected: expected)
    }
    return name
  }
}

// Makes sure that provider and meter read the same members. A key that metering reads may occur
// only once in its object, and no other key may be one that another reader takes for it.

extension RequestFacts {
  /// Refuses a name that differs from a relevant name only in a way that some readers ignore. Some
  /// readers take `Model` for `model`, or end a name at a NUL.
  static func checkSpelling(
    of name: String, matters: (String) -> Bool
  ) throws(MeteringError) {
    let isPlain = name.utf8.allSatisfy { byte in
      byte > 0 && byte < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
    if isPlain { return }
    let alike = String(name.prefix { $0 != "\0" }.uppercased().lowercased())
    guard !matters(alike) else { throw .invalid(param: name, expected: "spelled '\(alike)'") }
  }
}

extension JSONValue {
  /// - Throws: `MeteringError.repeatedMember` if the object has a key twice. Call it for every
  ///   object whose members are read by key.
  func checkKeys() throws(MeteringError) {
    if let key = repeatedKey { throw .repeatedMember(key) }
  }

  /// Checks the keys, and also that no key could be taken for one of `names`, which are read.
  /// - Throws: `MeteringError.repeatedMember` or `MeteringError.invalid`.
  func checkKeys(among names: Set<String>) throws(MeteringError) {
    try checkKeys()
    for member in members {
      guard let name = member.key.string else { continue }
      try RequestFacts.checkSpelling(of: name) { names.contains($0) }
    }
  }
}
