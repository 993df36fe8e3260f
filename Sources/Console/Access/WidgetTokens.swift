internal import Configuration
internal import Ledger
internal import TLS
internal import Time

/// The grant of a widget's token: it shows the figures of a client, or of one of its users, for a
/// short time.
struct WidgetGrant: Equatable, Sendable {
  let client: String
  /// The user whose figures are shown; nil for those of the whole client.
  let user: String?
  let expiresAt: Timestamp
}

/// Makes and verifies tokens for widgets.
///
/// A token names what it grants and carries an authentication code (HMAC-SHA256).
public final class WidgetTokens: Sendable {
  /// The lifetimes that a token may have, in seconds.
  static let lifetimes: ClosedRange<Int64> = 60...86_400
  static let usualLifetimeSeconds: Int64 = 3600

  /// The recommended length of the key, in bytes.
  public static let keyByteCount = SHA256Digest.byteCount

  private let key: [UInt8]

  /// - Parameter key: Random bytes. Servers with the same key accept each other's tokens.
  public init(key: [UInt8]) {
    self.key = key
  }

  /// Makes a token: `EXPIRY.CLIENT.USER.CODE`. Names are in Base64, which has no dot.
  ///
  /// - Parameter maker: The digest of the key or token that asks for the widget's token. The code
  ///   depends on it.
  func token(for grant: WidgetGrant, by maker: String = "") -> String {
    let parts = [
      "\(grant.expiresAt.milliseconds)", Base64URL.encode(Array(grant.client.utf8)),
      grant.user.map { Base64URL.encode(Array($0.utf8)) } ?? "",
    ]
    let content = parts.joined(separator: ".")
    return "\(content).\(code(of: content, by: maker).hex)"
  }

  /// The client that a token names. The token isn't verified yet.
  func claimedClient(in token: String) -> String? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 ? WidgetTokens.text(parts[1]) : nil
  }

  /// Verifies a token and returns what it grants; nil if it is not valid, has expired, or was made
  /// with a key or token outside `makers`.
  func grant(
    of token: String, by makers: [String] = [""], at now: Timestamp
  ) -> WidgetGrant? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let given = SHA256Digest(hex: parts[3]) else { return nil }
    let content = parts[..<3].joined(separator: ".")
    guard makers.contains(where: { code(of: content, by: $0).isEqualInConstantTime(to: given) }),
      let milliseconds = Int64(parts[0]), milliseconds > now.milliseconds,
      let client = WidgetTokens.text(parts[1])
    else { return nil }
    return WidgetGrant(
      client: client, user: parts[2].isEmpty ? nil : WidgetTokens.text(parts[2]),
      expiresAt: Timestamp(milliseconds: milliseconds))
  }

  private func code(of content: String, by maker: String) -> SHA256Digest {
    HMACSHA256.code(of: Array("\(content).\(maker)".utf8), key: key)
  }

  private static func text(_ encoded: Substring) -> String? {
    Base64URL.decode(String(encoded)).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

/// The credentials that make tokens for widgets: a client's keys, and administrators' tokens.
///
/// A widget's token stops working when the key or token that made it is removed, and while its
/// client is suspended.
struct WidgetMakers {
  let call: Call

  /// The digest of the credential that the call was made with.
  func digest() throws(APIError) -> String {
    switch call.credential {
    case .key(let owner): return "\(owner.key.digest)"
    case .token(let name, _):
      guard let digest = try tokens().first(where: { $0.name == name })?.digest else {
        throw .invalidCredential
      }
      return digest
    case nil: throw .invalidCredential
    }
  }

  /// The digests of all credentials that may make tokens for a client now.
  func digests(for client: Client) throws(APIError) -> [String] {
    if client.status == .suspended { return [] }
    let keys = client.keys.filter { !$0.isExpired(at: call.now) }
    return keys.map { "\($0.digest)" } + (try tokens().map(\.digest))
  }

  private func tokens() throws(APIError) -> [(name: String, digest: String)] {
    let declared = call.settings.admin.tokens
    if !declared.isEmpty { return declared.map { ($0.name, "\($0.digest)") } }
    do throws(LedgerError) {
      let stored = try LedgerReader(at: call.server.ledgerLocation).adminTokens()
      return stored.map { ($0.key, $0.value) }
    } catch {
      throw APIError(error)
    }
  }
}
