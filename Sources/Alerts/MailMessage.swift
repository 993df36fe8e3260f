internal import Configuration
internal import EventLoop
internal import Ledger
internal import Logging
internal import Time
internal import Upstream

/// A delivery in the format of RFC 5322.
struct MailMessage {
  let bytes: [UInt8]

  init(_ text: AlertText, id: String, _ settings: MailSettings, at now: Timestamp) {
    let sentence = HarmlessText.escaping(text.sentence)
    let lines = [
      "Date: \(now.mailDate)",
      "From: <\(settings.from)>",
      "To: \(settings.to.map { "<\($0)>" }.joined(separator: ",\r\n "))",
      "Subject: \(MailMessage.encodedWords(sentence))",
      "Message-ID: <\(id)@catraca>",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "",
      sentence,
      "",
    ]
    bytes = Array(lines.joined(separator: "\r\n").utf8)
  }

  /// Encodes a text for a header field (RFC 2047). Header fields are ASCII, so other text is
  /// encoded in pieces of whole characters. A text that looks like such a piece is encoded too,
  /// because a reader would decode it.
  static func encodedWords(_ text: String) -> String {
    if text.count <= longestPlainText, !text.contains("=?"),
      text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    {
      return text
    }
    var words: [String] = []
    var word = ""
    for character in text {
      let encoded = character.utf8.map(MailMessage.encoded).joined()
      if !word.isEmpty, word.utf8.count + encoded.utf8.count > longestEncodedText {
        words.append(word)
        word = ""
      }
      word += encoded
    }
    if !word.isEmpty { words.append(word) }
    return words.map { "=?UTF-8?Q?\($0)?=" }.joined(separator: "\r\n ")
  }

  private static func encoded(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: " "): return "_"
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      return String(UnicodeScalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.utf8.count == 1 ? "=0\(digits)" : "=\(digits)"
    }
  }

  /// The longest text without encoding. A line should have at most 78 characters, and must have at
  /// most 998.
  private static let longestPlainText = 500
  /// The longest text of an encoded word, which has at most 75 characters including 12 for its
  /// frame.
  private static let longestEncodedText = 63
}

extension Timestamp {
  /// Example: `Sun, 22 Nov 2026 07:30:00 +0000`.
  fileprivate var mailDate: String {
    let date = TimeZoneRules.utc.civilDate(of: self)
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let time = rfc3339.dropFirst(11).prefix(8)
    let day = "\(days[date.weekday - 1]), \(date.day) \(months[date.month - 1]) \(date.year)"
    return "\(day) \(time) +0000"
  }
}

extension MailSettings {
  /// The delivery of messages. A password leaves this machine only over TLS.
  var envelope: MailEnvelope {
    MailEnvelope(
      server: url, encryption: username != nil && !isLocal ? .required : .whereOffered,
      username: username, password: password?.revealed(), from: from, to: to,
      certificateAuthorities: caFile)
  }

  private var isLocal: Bool {
    guard let address = url.split(separator: "://", maxSplits: 1).last else { return false }
    return ["127.0.0.1", "[::1]", "localhost"].contains { host in
      address == host || address.hasPrefix("\(host):")
    }
  }
}
