public import Configuration

/// One way to reach people, as the settings declare it.
struct AlertChannel: Sendable {
  enum Kind: Sendable {
    case webhook(Webhook)
    case mail(MailSettings)
  }

  /// The name: `webhook:0`, `webhook:1`, …, or `smtp`.
  let name: String
  let kind: Kind
}

extension AlertSettings {
  var channels: [AlertChannel] {
    let webhooks = webhooks.enumerated().map { index, webhook in
      AlertChannel(name: "webhook:\(index)", kind: .webhook(webhook))
    }
    return webhooks + (smtp.map { [AlertChannel(name: "smtp", kind: .mail($0))] } ?? [])
  }

  /// The names of the channels in deliveries and tests.
  public var channelNames: [String] { channels.map(\.name) }
}
