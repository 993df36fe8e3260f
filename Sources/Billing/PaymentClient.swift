public import Configuration
public import EventLoop
public import Ledger

/// Why the payment provider did not do what an administrator asked for.
public enum PaymentError: Error, Hashable {
  /// It can't be asked right now.
  case unavailable(reason: String)
  /// It answered that it won't.
  case refused(reason: String)
}

/// Where administrators' calls reach the payment provider.
public final class PaymentClient: Sendable {
  /// What collects a plan's fixed fee every month.
  public struct PaidSubscription: Sendable {
    public let id: String
    public let status: StoredSubscription.Status
    /// What it has paid last; nil where that isn't paid.
    public let payment: FeePayment?

    public init(id: String, status: StoredSubscription.Status, payment: FeePayment?) {
      self.id = id
      self.status = status
      self.payment = payment
    }
  }

  let stripe: StripeClient

  /// - Parameter loop: where the provider is called from.
  public init(on loop: EventLoop) async {
    stripe = await StripeClient(on: loop)
  }

  /// Has a customer pay a plan's fixed fee every month.
  ///
  /// - Parameter former: the client's subscription so far.
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

  /// Breaks off what is under way; nothing can be asked any more.
  public func close() async {
    await stripe.close()
  }
}
