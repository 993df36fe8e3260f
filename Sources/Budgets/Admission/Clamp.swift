/// Chooses the output limit of a request that sets none and whose budget can't pay for the model's
/// largest output.
///
/// The limit is enough for almost every answer of the model. It is also no more than a fair share
/// of the remainder, so that one open-ended request doesn't hold everything while others wait.
///
/// Example: 10,000 tokens are left, and the 99th percentile of recent outputs is 600. An eighth is
/// 1,250, twice 600 is 1,200, so the request gets 1,250.
enum Clamp {
  /// One request may hold 1/8 of the remainder.
  static let shareOfRemainder: Int64 = 8
  /// Output tokens allowed until the model has recent outputs.
  static let unknownOutput: Int64 = 1_024
  /// The fewest output tokens that usually make a useful answer.
  static let smallestOutput: Int64 = 256

  /// The length that almost every answer of the model stays within: twice the 99th percentile of
  /// recent outputs. At least 1.
  static func usualOutput(recent: Int64?) -> Int64 {
    guard let recent else { return unknownOutput }
    return max(1, recent.multipliedSaturating(by: 2))
  }

  /// Returns the output to hold if `affordable` tokens, fewer than `largest`, can be paid for.
  ///
  /// - Parameter left: The affordable output if this replica leased everything that other replicas
  ///   haven't; nil means `affordable`.
  /// - Returns: The larger of an eighth of `left` and `usual`, if that fits. Otherwise
  ///   `affordable`, if it is at least `smallestOutput`. Otherwise nil.
  static func output(
    affordable: Int64, left: Int64? = nil, usual: Int64, largest: Int64
  ) -> Int64? {
    let left = left ?? affordable
    let share = left >= largest ? affordable : min(affordable, left / shareOfRemainder)
    let wanted = min(largest, max(share, usual))
    if wanted <= affordable { return wanted }
    return affordable >= smallestOutput ? affordable : nil
  }

  /// The least output for which `output` returns a limit.
  static func leastOutput(usual: Int64, largest: Int64) -> Int64 {
    min(largest, usual, smallestOutput)
  }
}
