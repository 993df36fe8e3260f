internal import Time

/// Reads and writes `billing_agreements`: the terms of each billed client. Recovery bills requests
/// of a killed process by them.
final class BillingAgreementStore {
  /// An agreement, with the first day on which it applies.
  struct Standing {
    var agreement: BillingAgreement
    var since: CivilDate
  }

  private let unreadable: UnreadableRows?
  private let select: Statement
  private let replace: Statement
  private let remove: Statement

  init(_ connection: DatabaseConnection) throws(LedgerError) {
    unreadable = connection.unreadable
    select = try connection.prepare("SELECT * FROM billing_agreements")
    replace = try connection.prepare(BillingAgreementStore.replaceRow)
    remove = try connection.prepare("DELETE FROM billing_agreements WHERE client_id = ?")
  }

  func all() throws(LedgerError) -> [String: Standing] {
    // The next `sync` writes an unreadable agreement again.
    let standings = try select.rows(passingOver: unreadable, .isLeftOut) {
      fields throws(LedgerError) in
      Standing(
        agreement: try BillingAgreement(from: fields),
        since: try fields.requiredDay("since", of: "a billing agreement"))
    }
    return Dictionary(uniqueKeysWithValues: standings.map { ($0.agreement.clientID, $0) })
  }

  func replace(_ standing: Standing) throws(LedgerError) {
    var parameters = ParameterWriter(replace)
    standing.agreement.write(to: &parameters, since: standing.since)
    try replace.run()
  }

  func remove(_ clientID: String) throws(LedgerError) {
    try remove.run(clientID)
  }

  /// The columns of `BillingAgreement.write(to:since:)`, in its order.
  private static let replaceRow = Upsert(
    into: "billing_agreements", key: ["client_id"],
    columns: [
      "client_id", "plan", "start_day", "since", "today", "status", "currency", "fixed_fee_nano",
      "measure", "included", "overage_every", "overage_charge_nano",
    ]
  ).sql
}
