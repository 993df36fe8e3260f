/// Why the payment provider did not do what it was asked.
enum StripeError: Error, Hashable {
  /// It couldn't be asked, gave no answer, or can't serve anybody right now.
  case unavailable(reason: String)
  /// It answered that it won't.
  case refused(Refusal)

  struct Refusal: Hashable {
    var status: Int
    /// Such as `card_declined`; nil where it names none.
    var code: String?
    var message: String
    /// The payment that was refused, where it names it.
    var payment: String?

    /// Whether there is no such thing.
    var isMissing: Bool { status == 404 }
  }

  var reason: String {
    switch self {
    case .unavailable(let reason): reason
    case .refused(let refusal): refusal.code.map { "\($0): \(refusal.message)" } ?? refusal.message
    }
  }
}
