internal import Configuration
internal import Ledger
internal import Pages
internal import Time

/// Describes the outcome of a charge, or what it waits for.
struct ChargeSentence {
  private let charge: BillingCharge
  /// The client's account at the payment provider; nil if it has none.
  private let account: PaymentAccount?
  private let payments: PaymentSettings
  private let zone: TimeZoneRules

  init(
    _ charge: BillingCharge, of account: PaymentAccount?, payments: PaymentSettings,
    zone: TimeZoneRules
  ) {
    self.charge = charge
    self.account = account
    self.payments = payments
    self.zone = zone
  }

  func text(for reader: Reader) -> String {
    switch charge.status {
    case .recorded: reader(.forYourInvoice)
    case .succeeded: charge.paymentID.map { reader(.paidBy($0)) } ?? ""
    case .failed, .needsAction:
      charge.block == 0
        ? [charge.lastError, reader(.triedBySubscription)].compactMap(\.self)
          .joined(separator: " · ")
        : charge.lastError ?? ""
    case .pending: pending(reader)
    }
  }

  private func pending(_ reader: Reader) -> String {
    if payments == .none { return reader(.nobodyCollects) }
    if charge.block == 0 {
      return reader(account?.subscriptionID.map { .waitsFor($0) } ?? .waitsForSubscription)
    }
    if let reason = charge.lastError, let next = charge.nextAttemptAt {
      return reader(.triedAgain(reason, reader.moment(next, in: zone)))
    }
    return reader(charge.paymentID.map { .underWay($0) } ?? .beingCollected)
  }
}

extension Phrase {
  fileprivate static let forYourInvoice = Phrase(
    "recorded for your own invoice; Catraca does not collect it",
    "registrada para a sua própria fatura; o Catraca não a cobra")
  fileprivate static func paidBy(_ payment: String) -> Phrase {
    Phrase("payment \(payment)", "pagamento \(payment)")
  }
  fileprivate static let triedBySubscription = Phrase(
    "the subscription at Stripe will retry it", "a assinatura no Stripe vai tentar de novo")
  fileprivate static let nobodyCollects = Phrase(
    "not collected: payments are turned off in catraca.yaml",
    "não é cobrada: os pagamentos estão desligados em catraca.yaml")
  fileprivate static let waitsForSubscription = Phrase(
    """
    waits for a subscription at Stripe, which collects the fixed fee; \
    create one with POST /api/token-billing/create-subscription
    """,
    """
    espera uma assinatura no Stripe, que cobra a mensalidade; \
    crie uma com POST /api/token-billing/create-subscription
    """)
  fileprivate static func waitsFor(_ subscription: String) -> Phrase {
    Phrase(
      "waits for Stripe to confirm the payment by subscription \(subscription)",
      "espera o Stripe confirmar o pagamento pela assinatura \(subscription)")
  }
  fileprivate static func triedAgain(_ reason: String, _ moment: String) -> Phrase {
    Phrase(
      "could not be collected (\(reason)); next attempt \(moment)",
      "não pôde ser cobrada (\(reason)); nova tentativa em \(moment)")
  }
  fileprivate static func underWay(_ payment: String) -> Phrase {
    Phrase(
      "Stripe is processing payment \(payment)",
      "o Stripe está processando o pagamento \(payment)")
  }
  fileprivate static let beingCollected = Phrase("being collected", "sendo cobrada")
}
