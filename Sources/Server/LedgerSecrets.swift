internal import Configuration
internal import Console
internal import Ledger
internal import TLS
internal import Time

/// The token of a first start without any: made once, shown once, kept as its digest.
enum FirstAdminToken {
  static let name = "first"
  private static let prefix = "adm-ctr-"
  private static let randomByteCount = 32

  /// Makes one where neither the settings nor the ledger have a token; nil where they do.
  static func makeIfNeeded(
    _ settings: AdminSettings, reader: LedgerReader, ledgerLocation: LedgerLocation,
    at now: Timestamp
  ) throws(LedgerError) -> String? {
    guard settings.tokens.isEmpty, try reader.adminTokens().isEmpty else { return nil }
    let token = prefix + Base64URL.encode(SecureRandom.bytes(randomByteCount))
    let author = LedgerEditor.Author(actor: "start", now: now)
    let editor = try LedgerEditor(at: ledgerLocation, author: author)
    // Another server that starts on the same ledger may be faster: its token is the one.
    let isMade = try editor.addAdminToken(name, sha256: SHA256.digest(of: token).hex)
    return isMade ? token : nil
  }
}

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
