/// The fields of a call to Stripe, as `application/x-www-form-urlencoded`.
struct StripeForm: ExpressibleByDictionaryLiteral {
  private var fields: [(String, String)]

  init(dictionaryLiteral elements: (String, String)...) {
    fields = elements
  }

  mutating func append(_ name: String, _ value: String) {
    fields.append((name, value))
  }

  var isEmpty: Bool { fields.isEmpty }

  var text: String {
    fields.map { "\(StripeForm.encoded($0))=\(StripeForm.encoded($1))" }.joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"):
        encoded.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}
