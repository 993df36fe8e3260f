internal import Configuration
internal import HTTP
internal import Ledger
internal import Pages
internal import Time

/// A table of charges: tiers, amounts and states, and a button that collects a failed charge again.
struct ChargeTable {
  private let charges: [BillingCharge]
  private let accounts: [String: PaymentAccount]
  private let pageRequest: PageRequest
  /// Whether the table is on the page of one client.
  private let isOfOneClient: Bool

  init(_ charges: [BillingCharge], ofOneClient isOfOneClient: Bool, _ pageRequest: PageRequest)
    throws(APIError)
  {
    self.charges = charges
    self.isOfOneClient = isOfOneClient
    self.pageRequest = pageRequest
    accounts = try pageRequest.call.read { reader throws(LedgerError) in
      var accounts: [String: PaymentAccount] = [:]
      for id in Set(charges.map(\.clientID)) {
        accounts[id] = try reader.paymentAccount(ofClient: id)
      }
      return accounts
    }
  }

  func html(empty: Phrase) -> HTML {
    let reader = pageRequest.reader
    var columns: [TableView.Column] = [
      .text(reader(.charge)), .text(reader(.tier)), .figure(reader(.chargedAmount)),
      .text(reader(.status)), .figure(reader(.attempts)), .text(reader(.whatBecame)),
    ]
    if !isOfOneClient { columns.insert(.text(reader(.client)), at: 1) }
    if pageRequest.mayChange { columns.append(.text(reader(.actions))) }
    return TableView(
      reader(.charges), columns, charges.map(row), empty: reader(empty)
    ).html
  }

  private func row(_ charge: BillingCharge) -> HTML {
    let reader = pageRequest.reader
    let zone = pageRequest.call.clients.client(charge.clientID)?.timeZone ?? .utc
    let sentence = ChargeSentence(
      charge, of: accounts[charge.clientID], payments: pageRequest.call.settings.payments,
      zone: zone)
    let name: HTML = charge.block == 0 ? "\(reader(.fixedFee))" : "\(charge.tier)"
    return #"""
      <tr><th scope="row"><code>\#(charge.name)</code><br>\#
      <span class="small soft">\#(reader.moment(charge.createdAt, in: zone)) \#
      (\#(zone.identifier))</span></th>\#
      \#(client(charge))<td>\#(name)\#(cause(charge))</td>\#
      <td class="figure">\#(charge.money.map { reader.money($0) } ?? "–")</td>\#
      <td><span class="chip \#(level(of: charge.status))">\#
      \#(reader(.name(of: charge.status)))</span></td>\#
      <td class="figure">\#(reader.number(Int64(charge.attempts)))</td>\#
      <td>\#(sentence.text(for: reader))</td>\#
      \#(pageRequest.mayChange ? "<td>\(retry(charge))</td>" : nil)</tr>
      """#
  }

  private func client(_ charge: BillingCharge) -> HTML? {
    if isOfOneClient { return nil }
    let address = SitePath.billing(ofClient: charge.clientID, period: charge.period)
    return #"<td><a href="\#(address)">\#(charge.clientID)</a></td>"#
  }

  /// A link to the request that started the tier.
  private func cause(_ charge: BillingCharge) -> HTML? {
    charge.requestID.map { id in
      #"""
      <br><a class="small" href="\#(SitePath.requests.appending("\(id)"))">\#
      \#(pageRequest.reader(.begunBy))<span class="unseen"> \#(charge.name)</span></a>
      """#
    }
  }

  private func level(of status: BillingCharge.Status) -> String {
    switch status {
    case .recorded: "plain"
    case .pending: "attention"
    case .succeeded: "ok"
    case .failed: "exceeded"
    case .needsAction: "critical"
    }
  }

  /// The button that collects a charge again; nil if the charge can't be. Subscriptions collect
  /// fixed fees, so they have no button.
  private func retry(_ charge: BillingCharge) -> HTML? {
    let hasFailed = charge.status.isUnpaid || (charge.status == .pending && charge.attempts > 0)
    guard hasFailed, charge.block > 0, pageRequest.call.settings.payments != .none else {
      return nil
    }
    let action = SitePath.billing(ofClient: charge.clientID).appending(
      "charges", charge.name, "retry")
    return #"""
      <form method="post" action="\#(action)">\#(pageRequest.csrfField)\#
      <input type="hidden" name="back" value="\#(pageRequest.head.target.text)">\#
      <button>\#(pageRequest.reader(.retry))\#
      <span class="unseen"> \#(charge.name)</span></button></form>
      """#
  }
}

extension SitePath {
  /// - Parameter period: Nil for the latest period.
  static func billing(ofClient id: String, period: String? = nil) -> PageAddress {
    billing.appending(id).with("period", period)
  }
}

extension Phrase {
  static let charge = Phrase("Charge", "Cobrança")
  static let charges = Phrase("Charges", "Cobranças")
  static let tier = Phrase("Tier", "Faixa")
  static let fixedFee = Phrase("Fixed fee", "Mensalidade")
  fileprivate static let chargedAmount = Phrase("Amount", "Valor")
  fileprivate static let attempts = Phrase("Attempts", "Tentativas")
  fileprivate static let whatBecame = Phrase("Details", "Detalhes")
  fileprivate static let begunBy = Phrase("request", "requisição")
  fileprivate static let retry = Phrase("Collect again", "Cobrar de novo")

  static func name(of status: BillingCharge.Status) -> Phrase {
    switch status {
    case .recorded: Phrase("recorded", "registrada")
    case .pending: Phrase("pending", "pendente")
    case .succeeded: Phrase("paid", "paga")
    case .failed: Phrase("failed", "falhou")
    case .needsAction: Phrase("needs action", "requer ação")
    }
  }
}
