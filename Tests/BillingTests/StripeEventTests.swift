import Configuration
import TLS
import Testing
import Time

@testable import Billing

@Suite struct StripeEventTests {
  private static let secret = Secret("whsec_1")
  private static let now = Timestamp(rfc3339: "2026-11-22T07:30:00.000Z")!
  private static let body = Array(
    #"{"id":"evt_1","type":"invoice.paid","created":5,"data":{"object":{"id":"in_1"}}}"#.utf8)

  private static func code(_ seconds: Int64, _ key: Secret = secret) -> String {
    HMACSHA256.code(of: Array("\(seconds).".utf8) + body, key: Array(key.revealed().utf8)).hex
  }

  private func read(_ signature: String, _ body: [UInt8] = body) throws -> StripeEvent {
    try StripeEvent(body, signature: signature, secret: Self.secret, at: Self.now)
  }

  @Test("A signed event of the last 300 seconds is believed", arguments: [0, -300, 300] as [Int64])
  func believed(age: Int64) throws {
    let seconds = Self.now.milliseconds / 1000 - age
    let event = try read("t=\(seconds), v0=00, v1=ff, v1=\(Self.code(seconds))")
    #expect(event.id == "evt_1" && event.type == "invoice.paid")
    #expect(event.createdAt.milliseconds == 5000)
  }

  @Test("An older or later one is not, whoever signed it", arguments: [-301, 301] as [Int64])
  func aged(age: Int64) throws {
    let seconds = Self.now.milliseconds / 1000 - age
    #expect(throws: StripeEvent.Mistake.age) { try read("t=\(seconds),v1=\(Self.code(seconds))") }
  }

  @Test("A signed event of an absurd time is refused", arguments: [Int64.min, .min + 1, .max])
  func absurd(seconds: Int64) {
    #expect(throws: StripeEvent.Mistake.age) { try read("t=\(seconds),v1=\(Self.code(seconds))") }
  }

  @Test("Without the right signature nothing is believed")
  func unsigned() throws {
    let seconds = Self.now.milliseconds / 1000
    let right = Self.code(seconds)
    for signature in [
      "", "t=\(seconds)", "v1=\(right)", "t=x,v1=\(right)", "t=\(seconds + 1),v1=\(right)",
      "t=\(seconds),v1=\(right.dropLast())", "t=\(seconds),v0=\(right)",
      "t=\(seconds),v1=\(Self.code(seconds, Secret("other")))",
    ] {
      #expect(throws: StripeEvent.Mistake.signature, "\(signature)") { try read(signature) }
    }
    #expect(throws: StripeEvent.Mistake.signature) {
      try read("t=\(seconds),v1=\(right)", Self.body + [0x20])
    }
  }

  @Test("Form fields are escaped, and keep their brackets")
  func forms() {
    let form: StripeForm = ["metadata[client]": "a&b=ü ç", "items[0][plan]": "pro"]
    #expect(form.text == "metadata[client]=a%26b%3D%C3%BC%20%C3%A7&items[0][plan]=pro")
  }
}
