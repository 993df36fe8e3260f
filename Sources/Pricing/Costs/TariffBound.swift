import Money

extension Tariff {
  /// The most that anything but the output of a request can cost by this tariff.
  func fixedCost(of request: BoundRequest) throws(PricingError) -> ExactAmount {
    let audio = terms.prices[.second] == nil ? PricedQuantity.minute : .second
    let others =
      try cost(audio, billedMilliseconds(request.audioMilliseconds))
      + cost(.character, request.characters)
      + cost(.image, request.images)
      // A call without a price is recorded and not charged.
      + (terms.prices[.call] == nil ? .zero : cost(.call, request.calls))
    // No provider says whether its factor for a region holds for more than tokens.
    return try inputCost(of: request) + max(others, others.with(origin.priceFactor.markup))
  }

  /// The most that a token of output can cost by this tariff.
  func outputTokenCost(of request: BoundRequest) throws(PricingError) -> ExactAmount {
    var price = FixedDecimal.zero
    if request.hasAudioOutput { price = max(price, try self.price(.audioOutput)) }
    if request.hasImageOutput { price = max(price, try self.price(.imageOutput)) }
    if !request.hasAudioOutput, !request.hasImageOutput { price = try self.price(.output) }
    return ExactAmount(
      price: max(price, terms.prices[.output] ?? .zero), per: .million, quantity: 1)
  }

  /// Input at the highest price that each part can have, whether the provider then reads it from
  /// its cache, writes it there or neither.
  private func inputCost(of request: BoundRequest) throws(PricingError) -> ExactAmount {
    var cost = ExactAmount.zero
    let text = dearestTextInput
    if request.textInputTokens > 0 {
      _ = try price(.input)
      cost += ExactAmount(price: text, per: .million, quantity: request.textInputTokens)
    }
    if request.imageInputTokens > 0 {
      // Images are input like text where they have no price of their own; an answer that counts
      // them apart is then charged the highest price of any token.
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

  /// The cost of a quantity that must have a price if there is any of it.
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
