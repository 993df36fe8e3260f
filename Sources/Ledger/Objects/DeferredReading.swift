extension LedgerReader {
  /// The requests whose providers still work on them, oldest first: what a start goes on with.
  public func deferredRequests() throws(LedgerError) -> [DeferredRequest] {
    try DeferredRequestStore.all(connection)
  }
}
