internal import Ledger
internal import Metering

// Answers that may show the end of deferred work: when somebody reads or cancels the response. The
// last byte is held back until the row is safe, as with any other answer.

extension Gateway {
  /// Settles work if a whole answer shows its end.
  func settle(
    _ work: DeferredWork, seenIn body: [UInt8], status: Int, at resources: LoopResources
  ) async {
    await settle(
      work,
      seenIn: AnswerMeter.read(
        body, status: status, to: work.record.facts, endpoint: Endpoints.responses,
        parser: resources.parser),
      status: status)
  }

  /// Settles work if a report shows its end.
  func settle(_ work: DeferredWork, seenIn report: UsageReport, status: Int) async {
    guard let completion = Completion(of: work, report, status: status) else { return }
    await settle(work, completion)
  }
}

extension Completion {
  /// How deferred work ended, by what the provider says of it; nil while it is under way.
  init?(of work: DeferredWork, _ report: UsageReport, status: Int) {
    guard status < 400, let seen = report.work, seen.id == work.record.objectID,
      case .ended(let end) = seen.stage
    else { return nil }
    let outcome: Outcome =
      switch end {
      case .completed: .ok
      case .failed, .expired: .providerError
      case .cancelled: .clientDisconnected
      }
    self.init(status: status, outcome: outcome, report: report)
  }
}
