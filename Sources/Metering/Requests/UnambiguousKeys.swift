import JSON

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
