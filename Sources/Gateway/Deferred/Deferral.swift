internal import Budgets
internal import Configuration
internal import HTTP
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Objects
internal import Pricing

// Work that goes on after its answer: a response made in the background, or a batch.

extension RequestPipeline {
  /// Takes a place for work that outlives its answer, before anything is held or sent: of requests
  /// that come together, no more are let through than there are places. Nil for any other request.
  @inline(never)
  func takePlace(for request: MeteredRequest) throws(Refusal) -> DeferredPlace? {
    guard request.outlivesAnswer else { return nil }
    do throws(DeferredWorks.Full) {
      return try gateway.deferredWorks.takePlace(for: request.identity.client.id)
    } catch {
      switch error {
      case .client: throw .tooMuchDeferredWork(limit: DeferredWorks.largestShare)
      case .all: throw .overloaded
      }
    }
  }
}

extension ForwardedRequest {
  /// Leaves hold and intent to work that the provider goes on with, and returns when that is safe.
  /// Nil where nothing is left to be settled.
  ///
  /// - Parameter made: the objects that the answer has shown; they are recorded with it.
  func deferSettlement(
    to objectID: String, showing made: [MadeObject]
  ) async -> DeferredWork? {
    var record = DeferredRequest(
      request.facts.operation == .batch ? .batch : .response, objectID: objectID,
      intent: intent(isNamed: true), pricedModel: quote.terms.model?.name,
      serviceTier: quote.terms.askedTier, completionWindow: quote.terms.completionWindow,
      imageModel: request.facts.imageToolModel,
      usesOwnKey: quote.provider.keyOwner != nil)
    record.expected.objects = objects(made)
    let work = DeferredWork(
      record, grant, place: place, origin: origin, traceID: pipeline.trace?.traceText,
      keepsAnswers: request.facts.keepsObjects,
      linesNameCallers: request.facts.linesNameCallers)
    switch gateway.deferredWorks.insert(work) {
    case .repeated(let known):
      // Asked again, the provider has answered with what it does already: charged once.
      await giveBack()
      return known
    case .taken:
      // The id is that of other work, so the provider can't be asked about this one.
      _ = await settle(Completion(status: 200, outcome: .ok, report: nil, madeObjects: made))
      return nil
    case .inserted: break
    }
    place = nil
    handOverHold()
    do throws(LedgerError) {
      try await gateway.ledger.deferSettlement(of: record)
      gateway.owners.note(record.expected.objects)
    } catch {
      logRecordingFailure(error)
      if !made.isEmpty { hidesAnswer = true }
    }
    gateway.startFollowing(work)
    gateway.logger.log(.info, "request_deferred") { line in
      pipeline.writeMembers(of: request, quote, to: &line)
      line.member("object", objectID)
    }
    return work
  }

  /// Whether an answer shows the end of work that an earlier request of this client has begun, with
  /// the same `Idempotency-Key`. That request is charged for it, and this one's hold is given back.
  func endsEarlierWork(_ work: ProviderWork, _ report: UsageReport, status: Int) async -> Bool {
    guard let origin else { return false }
    let id = DeferredWork.ID(provider: quote.provider.name, object: work.id)
    guard let earlier = gateway.deferredWorks.earlier(id, than: origin) else {
      gateway.deferredWorks.noteEnded(id, origin)
      return false
    }
    await giveBack()
    if case .underway(let known) = earlier,
      let completion = Completion(of: known, report, status: status)
    {
      await gateway.settle(known, completion)
    }
    return true
  }

  // MARK: Work that nobody can follow

  /// Whether the provider may go on with work that it hasn't named: no answer came, or none that
  /// could be read, or it had no id. Then nobody will ever learn what that work used.
  func mayWorkUnseen(after completion: Completion) -> Bool {
    guard request.outlivesAnswer, completion.outcome != .providerError else { return false }
    guard let report = completion.report else { return true }
    if case .ended? = report.work?.stage { return false }
    return report.usage == nil
  }

  /// All money that is held.
  var chargeOfWholeHold: UsageCharge {
    quote.terms.charge(ofHold: grant.bound.cost, for: measurement.wholeHold, in: pipeline.rules)
  }
}
