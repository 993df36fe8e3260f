internal import Money

extension ValueFormat<PriceFactor> {
  /// A factor on prices: `1.1`.
  static var priceFactor: ValueFormat {
    .scalar(PriceFactor.rule) { PriceFactor($0) }
  }
}

extension ValueFormat<Markup> {
  /// A percentage with its sign: `20%`, `-5%`.
  static var markup: ValueFormat {
    .scalar(Markup.rule) { Markup($0) }
  }
}
