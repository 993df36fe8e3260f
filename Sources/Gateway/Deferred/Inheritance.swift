public import Ledger

extension Gateway {
  /// Goes on with requests whose providers work on, and whose replicas are gone: holds again what
  /// they held, and has the providers asked.
  public func inherit(_ requests: [DeferredRequest]) {
    for request in requests {
      followAgain(
        DeferredWork(
          request, controller.restore(request.recordedHold),
          place: deferredWorks.takePlaceAnyway(for: request.expected.row.clientID), origin: nil))
    }
  }
}
