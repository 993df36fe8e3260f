/// The recipients of budget alerts.
public struct AlertSettings: Hashable, Sendable {
  public var webhooks: [Webhook] = []
  public var smtp: MailSettings?

  public init() {}
}

/// An address to which alerts are posted.
public struct Webhook: Hashable, Sendable {
  public enum Format: String, Sendable, Hashable, CaseIterable {
    case json
    /// Only the sentence, in Slack's format.
    case slack
  }

  public let url: String
  /// The secret that signs deliveries; nil for unsigned ones.
  public let secret: Secret?
  public let format: Format
  /// A PEM file of additional certificate authorities.
  public let caFile: String?

  public init(url: String, secret: Secret?, format: Format, caFile: String? = nil) {
    self.url = url
    self.secret = secret
    self.format = format
    self.caFile = caFile
  }
}

/// The mail server through which alerts are sent.
public struct MailSettings: Hashable, Sendable {
  /// `smtp://HOST:PORT` or `smtps://HOST:PORT`.
  public let url: String
  public let from: String
  public let to: [String]
  public let username: String?
  public let password: Secret?
  /// A PEM file of additional certificate authorities.
  public let caFile: String?

  public init(
    url: String, from: String, to: [String], username: String?, password: Secret?,
    caFile: String? = nil
  ) {
    self.url = url
    self.from = from
    self.to = to
    self.username = username
    self.password = password
    self.caFile = caFile
  }
}

extension AlertSettings: TabledSettings {
  static var rows: [SettingRow<AlertSettings>] {
    [
      SettingRow(
        "webhooks", \.webhooks, .list(of: .webhook, count: 0...32), "Addresses to post alerts to"),
      SettingRow("smtp", \.smtp, .mail, "The mail server and addresses to send alerts to"),
    ]
  }
}

extension ValueFormat<Webhook> {
  fileprivate static var webhook: ValueFormat {
    .section { section in
      let url = section.required("url", .webAddress)
      let secret = section.optional("secret_env", .environmentSecret)
      let format = section.optional("format", ValueFormat<Webhook.Format>.choice)
      let caFile = section.optional("ca_file", .path)
      guard let url else { return nil }
      return Webhook(url: url, secret: secret, format: format ?? .json, caFile: caFile)
    }
  }
}

extension ValueFormat<MailSettings> {
  fileprivate static var mail: ValueFormat {
    .section { section in
      let url = section.required("url", .mailServer)
      let from = section.required("from", .mailAddress)
      let to = section.required("to", .list(of: .mailAddress, count: 1...100))
      let username = section.optional("username", .text())
      let password = section.optional("password_env", .environmentSecret)
      let caFile = section.optional("ca_file", .path)
      guard let url, let from, let to else { return nil }
      return MailSettings(
        url: url, from: from, to: to, username: username, password: password, caFile: caFile)
    }
  }
}
