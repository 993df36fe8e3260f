internal import Configuration
internal import HTTP
internal import JSON
internal import Ledger
internal import TLS
internal import Time
internal import Upstream

/// A delivery in the form of a webhook's request.
struct WebhookRequest {
  static let delivery: FieldName = "x-catraca-delivery"
  static let signature: FieldName = "x-catraca-signature"

  let upstream: UpstreamRequest

  /// - Parameter deliveryID: The ID of the delivery, the same in every attempt.
  init(
    _ text: AlertText, id deliveryID: String, to webhook: Webhook, within timeout: Duration,
    at now: Timestamp
  ) {
    let body = WebhookRequest.body(text, webhook.format)
    var fields = HeaderFields()
    fields.append(.contentType, constant: "application/json")
    fields.append(.userAgent, constant: "Catraca")
    fields.appendOwn(WebhookRequest.delivery, deliveryID)
    if let secret = webhook.secret {
      fields.appendOwn(
        WebhookRequest.signature, WebhookRequest.signature(of: body, secret, at: now))
    }
    upstream = UpstreamRequest(
      url: webhook.url, method: .post, fields: fields, body: .bytes(body),
      connectTimeout: timeout, idleTimeout: timeout, certificateAuthorities: webhook.caFile)
  }

  private static func body(_ text: AlertText, _ format: Webhook.Format) -> [UInt8] {
    switch format {
    case .json: return Array(text.body.utf8)
    case .slack:
      var writer = JSONWriter()
      writer.object { $0.member("text", "\(SlackText(text.sentence))") }
      return writer.bytes
    }
  }

  /// Returns `t=SECONDS,v1=HEX`. A holder of the secret can verify that the body is Catraca's and
  /// recent.
  static func signature(of body: [UInt8], _ secret: Secret, at now: Timestamp) -> String {
    let seconds = now.milliseconds / 1000
    let code = HMACSHA256.code(
      of: Array("\(seconds).".utf8) + body, key: Array(secret.revealed().utf8))
    return "t=\(seconds),v1=\(code.hex)"
  }
}
