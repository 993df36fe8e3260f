import JSON

// Provider and meter must read the same: a key by which metering reads a member stands in its
// object once, and nothing stands there that another reader could take for it.

extension RequestFacts {
  /// Some readers take `Model` for `model`, or end a name at a NUL: a name that only differs so
  /// from one that matters is refused.
  static func checkSpelling(
    of name: String, matters: (String) -> Bool
  ) throws(MeteringError) {
    let isPlain = name.utf8.allSatisfy { byte in
      byte > 0 && byte < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
    if isPlain { return }
    let alike = String(name.prefix { $0 != "\0" }.uppercased().lowercased())
    guard !matters(alike) else { throw .invalid(param: name, expected: "spelt '\(alike)'") }
  }
}

extension JSONValue {
  /// - Throws: `repeatedMember`, for an object from which members are read by their keys.
  func checkKeys() throws(MeteringError) {
    if let key = repeatedKey { throw .repeatedMember(key) }
  }

  /// The same, and that no member could be taken for one of `names`, which are read.
  func checkKeys(among names: Set<String>) throws(MeteringError) {
    try checkKeys()
    for member in members {
      guard let name = member.key.string else { continue }
      try RequestFacts.checkSpelling(of: name) { names.contains($0) }
    }
  }
}
