internal import Configuration
internal import HTTP

/// The header fields of an answer that an app doesn't get.
///
/// An account that several clients share belongs to none of them: its cookies stay with Catraca.
/// Where the operator says so, its name and the rest of its limits stay there too. A client with
/// a key of its own gets what is told of its own account.
enum WithheldAnswers {
  static func names(from provider: Provider) -> FieldNameSet {
    provider.isShared && provider.hidesAccount ? withAccount : usual
  }

  private static let usual = FieldNameSet(always, beginnings: own)
  private static let withAccount = FieldNameSet(
    always + account + ["ratelimit"], beginnings: own + rateLimits)

  /// The length is that of what is sent. Cookies are about the connection to the provider, which
  /// all clients share.
  private static let always: [FieldName] = [.contentLength, .setCookie, "set-cookie2"]
  private static let account: [FieldName] = [
    "openai-organization", "openai-project", "anthropic-organization-id", "chatgpt-account-id",
  ]
  /// A provider that pretends to be Catraca is not believed.
  private static let own: [FieldName] = ["x-catraca-"]
  private static let rateLimits: [FieldName] = [
    "x-ratelimit-", "ratelimit-", "x-rate-limit-", "anthropic-ratelimit-",
  ]
}
