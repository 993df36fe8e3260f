internal import Configuration
internal import Ledger
internal import Logging
internal import Time

/// A delivery as RFC 5322 writes it.
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

  /// RFC 2047: header fields are ASCII, and what isn't goes in pieces of whole characters. So does
  /// a text that itself looks like such a piece, which a reader would decode.
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

  /// A line has 78 characters at best and 998 at most.
  private static let longestPlainText = 500
  /// An encoded word has 75 characters at most, of which 12 frame it.
  private static let longestEncodedText = 63
}

extension Timestamp {
  /// `Sun, 22 Nov 2026 07:30:00 +0000`.
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
