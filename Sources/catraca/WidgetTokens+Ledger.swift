internal import Console
internal import Ledger
internal import TLS
internal import Time

extension WidgetTokens {
  /// Those of a ledger, which keeps the key: so widgets that are shown survive a restart.
  convenience init(ofLedgerAt location: LedgerLocation, at now: Timestamp) throws(LedgerError) {
    let name = "widget_tokens"
    let editor = try LedgerEditor(at: location, author: .init(actor: "start", now: now))
    let fresh = Base64URL.encode(SecureRandom.bytes(WidgetTokens.keyByteCount))
    guard let key = Base64URL.decode(try editor.signingKey(name, orKeep: fresh)),
      key.count == WidgetTokens.keyByteCount
    else { throw .unreadable(record: "the signing key \(name)") }
    self.init(key: key)
  }
}
