extension HeaderFields {
  /// The fields that belong to one connection instead of the message, which a proxy must not pass
  /// on (RFC 9110 7.6.1), and the fields addressed to the proxy itself (11.7).
  public static let hopByHop = FieldNameSet(
    .connection, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .te,
    .trailer, .transferEncoding, .upgrade)

  /// Removes the fields that must not be passed on: `hopByHop`, and the fields that `Connection`
  /// names.
  public mutating func removeHopByHop() {
    let (hopByHop, named) = (Self.hopByHop, namedByConnection())
    removeAll { name, _ in
      if hopByHop.contains(name) { return true }
      guard !named.isEmpty, let name = FieldName(name) else { return false }
      return named.contains(name)
    }
  }

  /// Returns the names in `Connection` besides its usual options and `hopByHop`. It is a set,
  /// because the list can be as long as a head.
  private func namedByConnection() -> Set<FieldName> {
    var named: Set<FieldName> = []
    forEachListMember(.connection) { member in
      guard !member.equalsIgnoringCase("close"),
        !Self.hopByHop.contains(member),
        let name = FieldName(member)
      else { return }
      named.insert(name)
    }
    return named
  }
}
