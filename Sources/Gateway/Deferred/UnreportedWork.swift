internal import Ledger
internal import Metering
internal import Pricing

/// The charge of deferred work that ended without a report of its usage.
enum UnreportedWork: Hashable {
  /// All that is still held: nobody can learn what the work used. So it is with a response that the
  /// provider doesn't know any more, since a client may have deleted it, and with a batch whose
  /// results are gone.
  case rest
  /// At least what the model may have written until then, and at least the recorded estimate: the
  /// client has cancelled a response, perhaps after it had read nearly all of it.
  case written
  /// The estimate that was recorded when the provider answered: the work has failed.
  case recorded

  init(_ kind: DeferredRequest.Kind, _ completion: Completion) {
    guard let report = completion.report, kind == .response else {
      self = .rest
      return
    }
    self = report.isError || completion.outcome == .providerError ? .recorded : .written
  }
}

extension DeferredRequest {
  /// All tokens that are still held.
  var restOfHold: Usage { usage(ofHeld: progress.heldTokens, outOf: 1) }

  /// What is held for one line of a batch: an equal share, as far as so much is left; all that is
  /// left where it isn't known how many lines there are.
  ///
  /// Example: 300,000 tokens are held for a batch of 3 lines, so each of them has 100,000.
  func shareOfHold(amongLines count: Int64?) -> (usage: Usage, nanoUSD: Int64) {
    let lines = max(1, count ?? 1)
    let tokens = expected.row.heldTokens / lines
    return (
      usage(ofHeld: min(tokens, progress.heldTokens), outOf: lines),
      max(0, min(expected.row.heldNanoUSD / lines, progress.heldNanoUSD))
    )
  }

  private func usage(ofHeld tokens: Int64, outOf lines: Int64) -> Usage {
    let held = min(max(0, tokens), Usage.largestCount)
    let input = min(expected.row.usage.inputTokens / lines, held)
    return Usage(inputTokens: input, outputTokens: held - input) ?? .zero
  }

  /// The recorded estimate with at least so much output, and at most what is held.
  func estimate(withOutputAtLeast tokens: Int64) -> Usage {
    let recorded = expected.row.usage
    let most = max(0, progress.heldTokens - recorded.inputTokens)
    let output = max(recorded.outputTokens, min(tokens, most, Usage.largestCount))
    return Usage(inputTokens: recorded.inputTokens, outputTokens: output) ?? recorded
  }
}
