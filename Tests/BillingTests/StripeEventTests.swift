import Configuration
import Ledger
import Money
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

  /// An event as it is read once its signature is right.
  private func event(_ type: String, _ object: String, created: String = "5") throws -> PaymentEvent
  {
    let body = Array(
      #"{"id":"evt_1","type":"\#(type)","created":\#(created),"data":{"object":\#(object)}}"#.utf8)
    let seconds = Self.now.milliseconds / 1000
    let code = HMACSHA256.code(
      of: Array("\(seconds).".utf8) + body, key: Array(Self.secret.revealed().utf8)
    ).hex
    return try read("t=\(seconds),v1=\(code)", body).event
  }

  @Test(
    "An event that says an absurd instant was made now, and none was made later than that",
    arguments: [
      ("-9223372036854775808", 0), ("-1", 0), ("9223372036854775807", 0), ("1e300", 0),
      ("null", 0), ("253402300799", 300), ("1795332900", 300),
    ] as [(String, Int64)])
  func created(text: String, later: Int64) throws {
    let event = try event("charge.refunded", "{}", created: text)
    #expect(event.createdAt == Self.now.advanced(by: .seconds(later)))
  }

  @Test("A payment says its attempt, what was paid and by whom")
  func payments() throws {
    let object = """
      {"id":"pi_1","status":"succeeded","amount":10001,"amount_received":10000,"currency":"brl",
      "customer":"cus_1",
      "metadata":{"client":"acme","period":"2026-11","block":"1","attempt":"2"}}
      """
    let expected = ChargePayment(
      clientID: "acme", period: "2026-11", block: 1, number: 2,
      attempt: .succeeded(payment: "pi_1"),
      paid: PaidAmount(amount: 10_000, currency: Currency("BRL"), customerID: "cus_1"))
    #expect(try event("payment_intent.succeeded", object).content == .payment(expected))
  }

  @Test(
    "What a payment doesn't say is missing, whatever stands in its place",
    arguments: [
      "", #","amount":"10000","currency":7,"customer":[]"#,
      #","amount":1e300,"currency":"","customer":{"id":7}"#,
      #","amount":10000.5,"currency":"brlx","customer":null"#,
    ])
  func missing(members: String) throws {
    let object = """
      {"id":"pi_1","status":"succeeded",
      "metadata":{"client":"acme","period":"2026-11","block":"1"}\(members)}
      """
    guard case .payment(let payment) = try event("payment_intent.succeeded", object).content else {
      Issue.record("it is no payment")
      return
    }
    #expect(payment.paid == PaidAmount(amount: nil, currency: nil, customerID: nil))
    #expect(payment.number == nil)
  }

  @Test("Amounts of currencies that have two decimals at Stripe alone are divided")
  func minorUnits() throws {
    func amount(_ amount: Int, _ currency: String) throws -> Int64? {
      let object = """
        {"id":"pi_1","status":"succeeded","amount":\(amount),"currency":"\(currency)",
        "metadata":{"client":"acme","period":"2026-11","block":"1"}}
        """
      guard case .payment(let payment) = try event("payment_intent.succeeded", object).content
      else { return nil }
      return payment.paid.amount
    }
    #expect(try amount(500, "isk") == 5 && amount(501, "ugx") == nil && amount(501, "jpy") == 501)
  }

  @Test(
    "An invoice is for the month of its lines, else for that after its own period",
    arguments: [
      (#""period_end":1793502000,"lines":{"data":[{"period":{"start":3,"end":4}}]}"#, 3),
      (#""period_start":1,"period_end":1793502000,"lines":{"data":[]}"#, 1_793_502_000),
      (#""period_end":9223372036854775807"#, nil), (#""lines":7"#, nil),
    ] as [(String, Int64?)])
  func invoices(members: String, start: Int64?) throws {
    let object = """
      {"id":"in_1","subscription":"sub_1","payment_intent":"pi_1","amount_paid":40000,
      "currency":"brl","customer":"cus_1",\(members)}
      """
    let expected = FeePayment(
      subscriptionID: "sub_1", periodStart: start.map { Timestamp(milliseconds: $0 * 1000) },
      attempt: .succeeded(payment: "pi_1"),
      paid: PaidAmount(amount: 40_000, currency: Currency("BRL"), customerID: "cus_1"))
    #expect(try event("invoice.paid", object).content == .fixedFee(expected))
  }

  @Test("Form fields are escaped, and keep their brackets")
  func forms() {
    let form: StripeForm = ["metadata[client]": "a&b=ü ç", "items[0][plan]": "pro"]
    #expect(form.text == "metadata[client]=a%26b%3D%C3%BC%20%C3%A7&items[0][plan]=pro")
  }
}
