/// How much output a request is given that sets no limit of its own and whose budget can't pay for
/// the model's largest output.
///
/// It gets enough for almost every answer of its model, and no more than a fair share of what is
/// left, so that one open-ended request doesn't hold everything while others wait.
enum Clamp {
  /// The share of what is left that one request may hold: one in this many.
  static let shareOfRemainder: Int64 = 8
  /// Output tokens given while nothing is known of the model's recent outputs.
  static let unknownOutput: Int64 = 1_024
  /// Output tokens below which an answer is rarely of use.
  static let smallestOutput: Int64 = 256

  /// What almost every answer of the model fits into: twice the 99th percentile of recent ones.
  static func usualOutput(recent: Int64?) -> Int64 {
    guard let recent else { return unknownOutput }
    return max(1, recent.multipliedSaturating(by: 2))
  }

  /// The output to hold where `affordable` tokens, fewer than `largest`, can be paid for.
  ///
  /// - Parameter left: what could be paid for, had this replica leased all that others haven't; nil
  ///   for no more.
  /// - Returns: At most `affordable`; nil where that isn't worth an answer.
  static func output(
    affordable: Int64, left: Int64? = nil, usual: Int64, largest: Int64
  ) -> Int64? {
    let left = left ?? affordable
    let share = left >= largest ? affordable : min(affordable, left / shareOfRemainder)
    let wanted = min(largest, max(share, usual))
    if wanted <= affordable { return wanted }
    return affordable >= smallestOutput ? affordable : nil
  }

  /// The least output for which `output` gives an answer.
  static func leastOutput(usual: Int64, largest: Int64) -> Int64 {
    min(largest, usual, smallestOutput)
  }
}
