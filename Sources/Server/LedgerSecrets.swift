internal import Configuration
internal import Console
internal import Ledger
internal import TLS
internal import Time

/// The administrator's token that the first start makes, shows once, and keeps as its digest.
enum FirstAdminToken {
  static let name = "first"
  private static let prefix = "adm-ctr-"
  private static let randomByteCount = 32

  /// Makes a token if neither the settings nor the ledger have one; else returns nil.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read or written.
  static func makeIfNeeded(
    _ settings: AdminSettings, reader: LedgerReader, ledgerLocation: LedgerLocation,
    at now: Timestamp
  ) throws(LedgerError) -> String? {
    guard settings.tokens.isEmpty, try reader.adminTokens().isEmpty else { return nil }
    let token = prefix + Base64URL.encode(SecureRandom.bytes(randomByteCount))
    let author = LedgerEditor.Author(actor: "start", now: now)
    let editor = try LedgerEditor(at: ledgerLocation, author: author)
    // If another server that starts on the same ledger was faster, its token counts.
    let isMade = try editor.addAdminToken(name, sha256: SHA256.digest(of: token).hex)
    return isMade ? token : nil
  }
}

extension WidgetTokens {
  /// Signs tokens with the ledger's key, so that widgets on open pages survive a restart.
  ///
  /// - Throws: `LedgerError` if the ledger can't be read or written, or its key is no such key.
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
