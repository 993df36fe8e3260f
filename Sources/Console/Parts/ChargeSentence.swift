internal import Configuration
internal import Ledger
internal import Pages
internal import Time

/// What became of a charge, or what it waits for, in words.
struct ChargeSentence {
  private let charge: BillingCharge
  /// Who its client is for the payment provider.
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
    "recorded for your invoice: nobody collects it here",
    "registrada para a sua fatura: ninguém a cobra aqui")
  fileprivate static func paidBy(_ payment: String) -> Phrase {
    Phrase("payment \(payment)", "pagamento \(payment)")
  }
  fileprivate static let triedBySubscription = Phrase(
    "the subscription at Stripe tries it again", "a assinatura no Stripe tenta de novo")
  fileprivate static let nobodyCollects = Phrase(
    "nobody collects it: payments are off in catraca.yaml",
    "ninguém a cobra: os pagamentos estão desligados em catraca.yaml")
  fileprivate static let waitsForSubscription = Phrase(
    """
    waits for a subscription at Stripe, which collects the fixed fee; \
    POST /api/token-billing/create-subscription makes one
    """,
    """
    espera uma assinatura no Stripe, que cobra a mensalidade; \
    POST /api/token-billing/create-subscription cria uma
    """)
  fileprivate static func waitsFor(_ subscription: String) -> Phrase {
    Phrase(
      "waits until Stripe says that subscription \(subscription) has paid it",
      "espera que o Stripe diga que a assinatura \(subscription) a pagou")
  }
  fileprivate static func triedAgain(_ reason: String, _ moment: String) -> Phrase {
    Phrase(
      "couldn't be tried (\(reason)); tried again \(moment)",
      "não pôde ser tentada (\(reason)); nova tentativa em \(moment)")
  }
  fileprivate static func underWay(_ payment: String) -> Phrase {
    Phrase("Stripe goes on with payment \(payment)", "o Stripe segue com o pagamento \(payment)")
  }
  fileprivate static let beingCollected = Phrase("being collected", "sendo cobrada")
}
