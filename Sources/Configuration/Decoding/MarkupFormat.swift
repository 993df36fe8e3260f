internal import Money

extension ValueFormat<Markup> {
  /// A percentage with its sign: `20%`, `-5%`.
  static var markup: ValueFormat {
    .scalar(Markup.rule) { Markup($0) }
  }
}
