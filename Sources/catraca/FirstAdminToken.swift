internal import Configuration
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
