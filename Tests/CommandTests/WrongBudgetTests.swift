import Configuration
import JSON
import Money
import Pages
import Testing

@testable import Console
@testable import catraca

/// A budget with one mistake, as each door takes it: `clients.yaml`, a body of the API, the form of
/// the dashboard, and options of `budget set`.
struct WrongBudgetOfDoors: CustomTestStringConvertible, Sendable {
  let file: String
  let body: String
  /// Nil if the form can't state it.
  var form: String?
  /// Nil if the command can't state it.
  var options: String?
  /// The words after `allowed: `, the same at each door.
  let allowed: String

  var testDescription: String { file }

  static let all = [
    WrongBudgetOfDoors(
      file: "cost: 1, currency: EUR", body: #""cost":"1","currency":"EUR""#,
      form: "cost=1&currency=EUR", options: "--cost 1 --currency EUR", allowed: "BRL, USD"),
    WrongBudgetOfDoors(
      file: "cost: 1, currency: reais", body: #""cost":"1","currency":"reais""#,
      form: "cost=1&currency=reais", options: "--cost 1 --currency reais",
      allowed: "the three letters of a currency, such as BRL"),
    WrongBudgetOfDoors(
      file: "tokens: 1, currency: BRL", body: #""tokens":1,"currency":"BRL""#,
      options: "--tokens 1 --currency BRL", allowed: "leave it out, or give cost"),
    WrongBudgetOfDoors(
      file: "mode: tokens, tokens: 1, cost: 1", body: #""mode":"tokens","tokens":1,"cost":"1""#,
      allowed: "leave it out, or mode: both"),
    WrongBudgetOfDoors(
      file: "mode: brl, cost: 1, currency: USD",
      body: #""mode":"brl","cost":"1","currency":"USD""#, allowed: "BRL"),
    WrongBudgetOfDoors(
      file: "mode: minutes, tokens: 1", body: #""mode":"minutes","tokens":1"#,
      allowed: "tokens, cost, both, or a currency such as brl"),
    WrongBudgetOfDoors(
      file: "tokens: 9007199254740993", body: #""tokens":9007199254740993"#,
      form: "tokens=9007199254740993", options: "--tokens 9007199254740993",
      allowed: "a whole number from 0 to 9007199254740992"),
    WrongBudgetOfDoors(
      file: #"cost: "0.0000000001""#, body: #""cost":"0.0000000001""#,
      form: "cost=0.0000000001&currency=BRL", options: "--cost 0.0000000001",
      allowed: #"an amount with at most 9 decimals, such as "500.00""#),
    WrongBudgetOfDoors(
      file: "tokens: 1, period: 3661d", body: #""tokens":1,"period":"3661d""#,
      form: "tokens=1&period=3661d", options: "--tokens 1 --period 3661d",
      allowed: "daily, weekly, monthly, total, or 1d to 3660d"),
    WrongBudgetOfDoors(
      file: "tokens: 1, alerts: [90, 80]", body: #""tokens":1,"alerts":[90,80]"#,
      form: "tokens=1&alerts=90,80", options: "--tokens 1 --alerts 90,80",
      allowed: "percentages from 1 to 100, ascending, such as [80, 90, 100]"),
  ]
}

@Suite("All doors read budgets by the same rules")
struct WrongBudgetTests {
  @Test("A wrong budget is refused with the same words", arguments: WrongBudgetOfDoors.all)
  func refused(_ wrong: WrongBudgetOfDoors) async throws {
    let bench = TestBench()
    if let options = wrong.options {
      let printout = await bench.run("budget set --client acme \(options)")
      #expect(printout.error.contains("allowed: \(wrong.allowed)\n"))
    }
    try bodyIsRefused(Array("{\(wrong.body)}".utf8), wrong)
    if let form = wrong.form {
      var writer = JSONWriter()
      let fields = try PageForm(Array("\(form)&period=monthly&alerts=80".utf8))
      writer.object { BudgetEditPage.write(fields, Reader(language: .english), to: &$0) }
      try bodyIsRefused(writer.bytes, wrong)
    }
    bench.edit(
      "config/clients.yaml", "clients: { acme: { budgets: [{ \(wrong.file) }] } }")
    let printout = await bench.run("check")
    #expect(printout.error.contains("allowed: \(wrong.allowed)\n"))
  }

  private func bodyIsRefused(_ bytes: [UInt8], _ wrong: WrongBudgetOfDoors) throws {
    let real = try #require(Currency("BRL"))
    let rates = try ExchangeRates(
      billing: real, perDollar: [real: FixedDecimal(decimal: "5.40")])
    let body = try Body(bytes, allowed: BudgetFields.schemas.names)
    let error = #expect(throws: APIError.self) { try BudgetFields.terms(in: body, rates: rates) }
    #expect(error?.message.contains("allowed: \(wrong.allowed).") == true)
  }
}
