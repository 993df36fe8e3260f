/// The reason that Stripe didn't carry out a request.
enum StripeError: Error, Hashable {
  /// Stripe couldn't be reached, gave no answer, or can't serve any request now.
  case unavailable(reason: String)
  /// Stripe refused.
  case refused(Refusal)

  struct Refusal: Hashable {
    var status: Int
    /// Stripe's code, for example `card_declined`; nil if it names none.
    var code: String?
    var message: String
    /// The refused payment; nil if Stripe doesn't name it.
    var payment: String?

    /// Whether the object doesn't exist.
    var isMissing: Bool { status == 404 }
  }

  var reason: String {
    switch self {
    case .unavailable(let reason): reason
    case .refused(let refusal): refusal.code.map { "\($0): \(refusal.message)" } ?? refusal.message
    }
  }
}
