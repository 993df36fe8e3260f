public import Configuration
public import EventLoop
public import Ledger

/// The reason that the payment provider didn't carry out an administrator's request.
public enum PaymentError: Error, Hashable {
  /// The provider can't be reached now.
  case unavailable(reason: String)
  /// The provider refused.
  case refused(reason: String)
}

/// Carries out administrators' requests at the payment provider.
public final class PaymentClient: Sendable {
  /// The subscription that collects a plan's fixed fee every month.
  public struct PaidSubscription: Sendable {
    public let id: String
    public let status: StoredSubscription.Status
    /// Its latest payment; nil if that isn't paid.
    public let payment: FeePayment?

    public init(id: String, status: StoredSubscription.Status, payment: FeePayment?) {
      self.id = id
      self.status = status
      self.payment = payment
    }
  }

  let stripe: StripeClient

  /// - Parameter loop: The loop that calls the provider.
  public init(on loop: EventLoop) async {
    stripe = await StripeClient(on: loop)
  }

  /// Subscribes a customer to pay a plan's fixed fee every month.
  ///
  /// - Parameter former: The client's previous subscription; nil for none.
  /// - Throws: `PaymentError`.
  public func subscribe(
    _ clientID: String, as customer: String, to plan: Plan, former: String?,
    through settings: StripeSettings
  ) async throws(PaymentError) -> PaidSubscription {
    do throws(StripeError) {
      let account = StripeAccount(client: stripe, settings: settings)
      let subscription = try await account.subscribe(
        clientID, as: customer, to: plan, former: former)
      var invoice: StripeInvoice?
      if let latest = subscription.latestInvoice { invoice = try await account.invoice(latest) }
      return PaidSubscription(
        id: subscription.id, status: subscription.status,
        payment: invoice?.isPaid == true ? invoice?.payment : nil)
    } catch {
      switch error {
      case .unavailable(let reason): throw .unavailable(reason: reason)
      case .refused: throw .refused(reason: error.reason)
      }
    }
  }

  /// Cancels the calls in progress. No further call is possible.
  public func close() async {
    await stripe.close()
  }
}
