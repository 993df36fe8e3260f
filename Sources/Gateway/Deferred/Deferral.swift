internal import Budgets
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Pricing

extension Passage {
  /// Leaves hold and intent to work that the provider goes on with, and returns when that is safe.
  func deferSettlement(to objectID: String) async -> DeferredWork {
    let record = DeferredRequest(
      request.facts.operation == .batch ? .batch : .response, objectID: objectID,
      intent: intent(), pricedModel: offer.terms.model?.name,
      serviceTier: offer.terms.askedTier, imageModel: request.facts.imageToolModel)
    let work = DeferredWork(record, grant)
    guard gateway.deferredWorks.insert(work) else {
      // Asked again, the provider has answered with what it does already: charged once.
      await giveBack()
      return gateway.deferredWorks.find(work.id) ?? work
    }
    handOverHold()
    do throws(LedgerError) {
      try await gateway.ledger.deferSettlement(of: record)
    } catch {
      logRecordingFailure(error)
    }
    gateway.startFollowing(work)
    gateway.logger.log(.info, "request_deferred") { line in
      journey.writeMembers(of: request, offer, to: &line)
      line.member("object", objectID)
    }
    return work
  }
}
