internal import TLS
internal import Time

/// Who may see a widget: a client's figures, or those of one of its users, for a short while.
struct WidgetGrant: Equatable, Sendable {
  let client: String
  /// Nil shows the whole client.
  let user: String?
  let expiresAt: Timestamp
}

/// Makes tokens for widgets, and reads those that it made.
///
/// A token says what it grants and carries a code (HMAC-SHA256) that nobody else can make.
public final class WidgetTokens: Sendable {
  /// How long a token may be valid.
  static let lifetimes: ClosedRange<Int64> = 60...86_400
  static let usualLifetimeSeconds: Int64 = 3600

  /// How long the key should be.
  public static let keyByteCount = SHA256Digest.byteCount

  private let key: [UInt8]

  /// - Parameter key: random bytes; tokens are read by whoever has the same.
  public init(key: [UInt8]) {
    self.key = key
  }

  /// `EXPIRY.CLIENT.USER.CODE`; names are in Base64, so that no point is in them.
  func token(for grant: WidgetGrant) -> String {
    let parts = [
      "\(grant.expiresAt.milliseconds)", Base64URL.encode(Array(grant.client.utf8)),
      grant.user.map { Base64URL.encode(Array($0.utf8)) } ?? "",
    ]
    let content = parts.joined(separator: ".")
    return "\(content).\(code(of: content).hex)"
  }

  /// What a token grants; nil for one that isn't ours, was changed, or is too old.
  func grant(of token: String, at now: Timestamp) -> WidgetGrant? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let given = SHA256Digest(hex: parts[3]) else { return nil }
    let content = parts[..<3].joined(separator: ".")
    guard code(of: content).isEqualInConstantTime(to: given),
      let milliseconds = Int64(parts[0]), milliseconds > now.milliseconds,
      let client = WidgetTokens.text(parts[1])
    else { return nil }
    return WidgetGrant(
      client: client, user: parts[2].isEmpty ? nil : WidgetTokens.text(parts[2]),
      expiresAt: Timestamp(milliseconds: milliseconds))
  }

  private func code(of content: String) -> SHA256Digest {
    HMACSHA256.code(of: Array(content.utf8), key: key)
  }

  private static func text(_ encoded: Substring) -> String? {
    Base64URL.decode(String(encoded)).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
