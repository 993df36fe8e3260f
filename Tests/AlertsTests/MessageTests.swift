import Configuration
import HTTP
import Ledger
import Testing
import Time
import Upstream

@testable import Alerts

@Suite("Deliveries as they are sent")
struct MessageTests {
  private let text = AlertText(sentence: "80 % used", body: #"{"id":"id-1"}"#)
  private let now = Timestamp(rfc3339: "2026-11-22T07:30:05Z")!

  private func request(_ webhook: Webhook) -> WebhookRequest {
    WebhookRequest(text, id: "id-1", to: webhook, within: .seconds(10), at: now)
  }

  @Test("A signature is the HMAC of time, point and body")
  func signature() {
    let webhook = Webhook(
      url: "https://example.com/hook", secret: Secret("hook-secret-1"), format: .json)
    let fields = request(webhook).upstream.fields
    // printf '1795332605.{"id":"id-1"}' | openssl dgst -sha256 -hmac hook-secret-1
    #expect(
      fields.first(WebhookRequest.signature)
        == "t=1795332605,v1=6451e919d5ca9a068d97229f33857e3867817245c5440c020fa72972266faa6f")
    #expect(fields.first(WebhookRequest.delivery) == "id-1")
    #expect(fields.first(.contentType) == "application/json")
  }

  @Test("Slack gets the sentence alone, and without a secret nothing is signed")
  func slack() {
    let request = request(
      Webhook(url: "https://example.com/hook", secret: nil, format: .slack))
    guard case .bytes(let body) = request.upstream.body else {
      Issue.record("a delivery has a body")
      return
    }
    #expect(String(decoding: body, as: UTF8.self) == #"{"text":"80 % used"}"#)
    #expect(request.upstream.fields.first(WebhookRequest.signature) == nil)
  }

  @Test(
    "Nothing that an app made up calls people, makes a link or shows a picture in Slack",
    arguments: [
      ("ACME & Co: 80 % used", "ACME &amp; Co: 80 % used"),
      ("<!channel>", "&lt;!channel&gt;"), ("<https://x|y>", "&lt;https:\u{200B}//x|y&gt;"),
      ("(user:@here)", "(user:@\u{200B}here)"), ("a@everyone", "a@\u{200B}everyone"),
      ("@U012", "@\u{200B}U012"), ("ana@example.com", "ana@example.com"),
      ("![x](http://h)", "![x]\u{200B}(http:\u{200B}//h)"),
    ])
  func slackEscapes(_ sentence: String, expected: String) {
    #expect(SlackText(sentence).description == expected)
  }

  @Test("No text of an alert adds a field or a line to mail, or is decoded as another")
  func mailEscapes() {
    let settings = MailSettings(
      url: "smtp://localhost:25", from: "a@example.com", to: ["b@example.com"], username: nil,
      password: nil)
    let text = AlertText(sentence: "u\r\n.\r\nBcc: c@example.com\r\n\r\n<b>", body: "{}")
    let lines = String(
      decoding: MailMessage(text, id: "id-1", settings, at: now).bytes, as: UTF8.self
    ).split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(lines.count == 11)
    #expect(!lines.contains { $0.hasPrefix("Bcc") || $0 == "." })
    let encoded = "=?UTF-8?Q?Pay_me?="
    #expect(!MailMessage.encodedWords(encoded).contains(encoded))
  }

  @Test("Mail has its fields in ASCII and its text in UTF-8")
  func mail() {
    let settings = MailSettings(
      url: "smtp://localhost:25", from: "a@example.com", to: ["b@example.com", "c@example.com"],
      username: nil, password: nil)
    let text = AlertText(sentence: "São João: 80 %", body: "{}")
    let message = MailMessage(text, id: "id-1", settings, at: now)
    #expect(
      String(decoding: message.bytes, as: UTF8.self).split(
        separator: "\r\n", omittingEmptySubsequences: false) == [
          "Date: Sun, 22 Nov 2026 07:30:05 +0000", "From: <a@example.com>",
          "To: <b@example.com>,", " <c@example.com>",
          "Subject: =?UTF-8?Q?S=C3=A3o_Jo=C3=A3o=3A_80_=25?=", "Message-ID: <id-1@catraca>",
          "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
          "Content-Transfer-Encoding: 8bit", "", "São João: 80 %", "",
        ])
  }

  @Test("A long subject goes in words of at most 75 characters, each of whole characters")
  func longSubject() {
    let words = MailMessage.encodedWords(String(repeating: "ã", count: 100))
      .split(separator: "\r\n ")
    #expect(words.count == 10 && words.allSatisfy { $0.utf8.count <= 75 })
    #expect(words.allSatisfy { ($0.utf8.count - 12) % 6 == 0 })
  }

  @Test(
    "A password travels in TLS, but on this machine",
    arguments: [
      ("smtp://mail.example.com:587", "u", true), ("smtp://127.0.0.1:25", "u", false),
      ("smtp://localhost", "u", false), ("smtp://localhost.example.com:25", "u", true),
      ("smtp://[::1]:25", "u", false), ("smtp://mail.example.com:25", nil, false),
    ] as [(String, String?, Bool)])
  func encryption(_ url: String, username: String?, isRequired: Bool) {
    let settings = MailSettings(
      url: url, from: "a@example.com", to: ["b@example.com"], username: username,
      password: username.map { _ in Secret("p") })
    #expect(settings.envelope.encryption == (isRequired ? .required : .whereOffered))
  }
}
