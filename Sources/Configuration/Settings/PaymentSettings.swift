/// The way in which charges are paid.
public enum PaymentSettings: Hashable, Sendable {
  /// Charges are only recorded, and paid elsewhere.
  case none
  case stripe(StripeSettings)
}

/// The account at Stripe.
public struct StripeSettings: Hashable, Sendable {
  public let baseURL: BaseURL
  /// The key; nil if it is missing and that was tolerated.
  public let secretKey: Secret?
  /// The secret; nil if it is missing and that was tolerated.
  public let webhookSecret: Secret?
  /// The time that a charge may be unpaid before its client's requests are refused; nil for no
  /// limit.
  public let pauseAfter: Duration?

  public init(
    baseURL: BaseURL, secretKey: Secret?, webhookSecret: Secret?, pauseAfter: Duration? = nil
  ) {
    self.pauseAfter = pauseAfter
    self.baseURL = baseURL
    self.secretKey = secretKey
    self.webhookSecret = webhookSecret
  }
}

extension ValueFormat<PaymentSettings> {
  private enum Choice: String, CaseIterable {
    case none, stripe
  }

  /// A section, because the required keys depend on the provider.
  static var payments: ValueFormat {
    .section { section in
      let provider = section.required("provider", ValueFormat<Choice>.choice)
      let baseURL = section.optional("base_url", .baseURL) ?? BaseURL("https://api.stripe.com")
      let pauseAfter = section.optional("pause_after", .days)
      guard provider == .stripe else {
        _ = section.node("secret_key_env")
        _ = section.node("webhook_secret_env")
        return PaymentSettings.none
      }
      let secretKey = section.required("secret_key_env", .environmentSecret)
      let webhookSecret = section.required("webhook_secret_env", .environmentSecret)
      return baseURL.map { baseURL in
        .stripe(
          StripeSettings(
            baseURL: baseURL, secretKey: secretKey, webhookSecret: webhookSecret,
            pauseAfter: pauseAfter))
      }
    }
  }
}

extension ValueFormat<Duration> {
  private static var mostDays: Int64 { 365 }

  /// Whole days: `7d`.
  fileprivate static var days: ValueFormat {
    .scalar("days, from 1d to \(mostDays)d", text: { "\($0.components.seconds / 86_400)d" }) {
      guard $0.hasSuffix("d"), let days = wholeNumber($0.dropLast()),
        (1...mostDays).contains(days)
      else { return nil }
      return .seconds(days * 86_400)
    }
  }
}
