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
      .response, objectID: objectID, intent: intent(), pricedModel: offer.terms.model?.name,
      serviceTier: offer.terms.askedTier, imageModel: request.facts.imageToolModel)
    let id = DeferredWork.ID(provider: record.provider, object: record.objectID)
    // Asked for again, the provider may have answered with what it does already: charged once.
    if let known = gateway.deferredWorks.find(id) {
      await giveBack()
      return known
    }
    let work = DeferredWork(record, handOverHold())
    do throws(LedgerError) {
      try await gateway.ledger.deferSettlement(of: record)
    } catch {
      logRecordingFailure(error)
    }
    gateway.follow(work)
    gateway.logger.log(.info, "request_deferred") { line in
      journey.writeMembers(of: request, offer, to: &line)
      line.member("object", objectID)
    }
    return work
  }
}
