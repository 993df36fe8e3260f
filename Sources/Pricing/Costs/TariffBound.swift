import Money

extension Tariff {
  /// Returns the upper bound of a request's costs except the output's, by this tariff.
  /// - Throws: `PricingError.quantityNotPriced`.
  func fixedCost(of request: BoundRequest) throws(PricingError) -> ExactAmount {
    let audio = terms.prices[.second] == nil ? PricedQuantity.minute : .second
    let others =
      try cost(audio, billedMilliseconds(request.audioMilliseconds))
      + cost(.character, request.characters)
      + cost(.image, request.images)
      // A call without a price is recorded and not charged.
      + (terms.prices[.call] == nil ? .zero : cost(.call, request.calls))
    // No provider states whether its regional factor applies to more than tokens. The bound takes
    // the higher value.
    return try inputCost(of: request) + max(others, others.with(origin.priceFactor.markup))
  }

  /// Returns the upper bound of the cost of an output token, by this tariff.
  /// - Throws: `PricingError.quantityNotPriced`.
  func outputTokenCost(of request: BoundRequest) throws(PricingError) -> ExactAmount {
    var price = FixedDecimal.zero
    if request.hasAudioOutput { price = max(price, try self.price(.audioOutput)) }
    if request.hasImageOutput { price = max(price, try self.price(.imageOutput)) }
    if !request.hasAudioOutput, !request.hasImageOutput { price = try self.price(.output) }
    return ExactAmount(
      price: max(price, terms.prices[.output] ?? .zero), per: .million, quantity: 1)
  }

  /// Returns the cost of the input at the highest price of each part: read from the provider's
  /// cache, written to it, or neither.
  private func inputCost(of request: BoundRequest) throws(PricingError) -> ExactAmount {
    var cost = ExactAmount.zero
    let text = request.mayCacheLong ? dearestTextInput : dearestTextInputOfShortCache
    if request.textInputTokens > 0 {
      _ = try price(.input)
      cost += ExactAmount(price: text, per: .million, quantity: request.textInputTokens)
    }
    if request.imageInputTokens > 0 {
      // Images without their own price are input like text. If the answer counts them separately,
      // they are charged the highest price of any token.
      guard let image = terms.prices[.imageInput] ?? dearestToken else {
        throw .quantityNotPriced(model: origin.model, quantity: .imageInput)
      }
      cost += ExactAmount(
        price: max(image, text), per: .million, quantity: request.imageInputTokens)
    }
    if request.audioInputTokens > 0 {
      let audio = try price(.audioInput)
      cost += ExactAmount(
        price: max(audio, text), per: .million, quantity: request.audioInputTokens)
    }
    return cost
  }

  /// Returns the cost of a quantity, which needs a price unless the amount is zero.
  private func cost(
    _ quantity: PricedQuantity, _ amount: Int64
  ) throws(PricingError) -> ExactAmount {
    if amount == 0 { return .zero }
    return ExactAmount(price: try price(quantity), per: quantity.basis, quantity: amount)
  }

  private func price(_ quantity: PricedQuantity) throws(PricingError) -> FixedDecimal {
    guard let price = terms.prices[quantity] else {
      throw .quantityNotPriced(model: origin.model, quantity: quantity)
    }
    return price
  }
}
