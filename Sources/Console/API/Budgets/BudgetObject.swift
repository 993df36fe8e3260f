public import Budgets
internal import Configuration
internal import JSON
public import Ledger
internal import Money
public import Time

/// The API's form of a budget, for alerts and other places outside the API.
public enum BudgetObject {
  /// The state of one subject's account as a JSON object; nil if the budget no longer exists.
  ///
  /// - Parameter subject: The subject, such as `user:u1`.
  /// - Throws: `LedgerError` if the ledger can't be read.
  public static func json(
    of id: BudgetID, subject text: String, in server: any RunningServer, at now: Timestamp
  ) throws(LedgerError) -> [UInt8]? {
    guard let subject = Subject(text: text) else { return nil }
    let reader = try LedgerReader(at: server.ledgerLocation)
    var status = server.readBudgets { try? $0.status(of: id, for: subject, at: now) }
    if status == nil { status = try conversations(of: id, in: server, reader, at: now) }
    guard let status else { return nil }
    let forms = try BudgetJSON.forms(
      [status], reader, server.settings, server.clients, at: now)
    guard let form = forms.first else { return nil }
    var writer = JSONWriter()
    form.write(to: &writer)
    return writer.bytes
  }

  /// The state of a plan that limits only conversations. Such a plan has no account.
  private static func conversations(
    of id: BudgetID, in server: any RunningServer, _ reader: LedgerReader, at now: Timestamp
  ) throws(LedgerError) -> AccountStatus? {
    guard id.isPlan else { return nil }
    let billing = server.settings.rates.billing
    func status(_ used: Spend) -> AccountStatus? {
      server.readBudgets {
        $0.conversationStatus(of: id.client, used: used, in: billing, at: now)
      }
    }
    guard let window = status(.zero)?.window else { return nil }
    return status(try reader.planUse(of: id.client, in: window, currency: billing).all)
  }
}
