extension HeaderFields {
  /// The fields that belong to one connection and not to the message, so that a proxy must not pass
  /// them on (RFC 9110 7.6.1), and those that speak to the proxy itself (11.7).
  public static let hopByHop = FieldNameSet(
    .connection, .keepAlive, .proxyAuthenticate, .proxyAuthorization, .proxyConnection, .te,
    .trailer, .transferEncoding, .upgrade)

  /// Removes what must not be passed on: `hopByHop`, and what `Connection` names besides.
  public mutating func removeHopByHop() {
    let (hopByHop, named) = (Self.hopByHop, namedByConnection())
    removeAll { name, _ in
      if hopByHop.contains(name) { return true }
      guard !named.isEmpty, let name = FieldName(name) else { return false }
      return named.contains(name)
    }
  }

  /// What `Connection` names beyond its usual options and `hopByHop`; a set, since the list can be
  /// as long as a head.
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
