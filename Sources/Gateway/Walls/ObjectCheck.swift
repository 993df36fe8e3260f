internal import Configuration
internal import EventLoop
internal import JSON
internal import Ledger
internal import Logging
internal import Metering
internal import Objects

extension ObjectOwners {
  /// Lets a request pass that names only objects of its own client, and shared ones.
  ///
  /// Without references nothing is done.
  ///
  /// - Parameter passesUnowned: whether objects that nobody has pass, whatever the settings say.
  /// - Throws: `unknownObject` for the first other object that it names, which the log tells about;
  ///   `ledgerUnavailable` where that can't be found out. The first is thrown a multiple of
  ///   `refusalStep` after the beginning, so that its time doesn't tell whether the ledger has
  ///   found the object.
  func check(
    _ references: [ObjectReference], of provider: Provider, for identity: Identity,
    on pipeline: RequestPipeline, passesUnowned: Bool = false
  ) async throws(Refusal) {
    let references = references.filter { $0.namesAnything(at: provider) }
    guard !references.isEmpty else { return }
    let begin = MonotonicInstant.now()
    let verdict: Verdict
    do throws(LedgerError) {
      verdict = try await self.verdict(
        on: references, of: provider.name, for: identity.client.id,
        passesUnowned: passesUnowned
          || pipeline.rules.settings.metering.unownedObjects == .allow)
    } catch {
      throw pipeline.ownersUnavailable(error)
    }
    guard case .refused(let reference, let owner) = verdict else { return }
    pipeline.gateway.logger.log(.warn, "object_not_owned") { line in
      line.member("request_id", "\(pipeline.id)")
      line.member("client", identity.client.id)
      line.member("key", identity.key.name)
      line.member("provider", provider.name)
      line.member("kind", reference.kind.rawValue)
      line.member("object", RequestPipeline.shortened(reference.id))
      if let owner { line.member("owner", owner) }
    }
    let steps = MonotonicInstant.now().elapsed(since: begin) / ObjectOwners.refusalStep
    let end = begin.advanced(by: ObjectOwners.refusalStep * Int(steps.rounded(.up)))
    // Not by a loop's timer: its milliseconds would be counted from now on, not from the beginning.
    // A task that is cancelled needs no answer.
    try? await Task.sleep(for: end.elapsed(since: .now()), tolerance: .zero)
    throw .unknownObject(reference)
  }

  /// Much longer than looking an object up takes: a few more microseconds for one that is found
  /// hardly ever lead to the next step.
  private static let refusalStep = Duration.milliseconds(5)

  /// The objects among `ids` that a client may see: its own and shared ones.
  ///
  /// - Throws: `ledgerUnavailable` where that can't be found out.
  func owned(
    _ ids: [String], of provider: Provider, for identity: Identity, on pipeline: RequestPipeline
  ) async throws(Refusal) -> Set<String> {
    do throws(LedgerError) {
      return try await owned(ids, of: provider.name, by: identity.client.id)
    } catch {
      throw pipeline.ownersUnavailable(error)
    }
  }

  /// The ids of items, among those that a request gives, that aren't the client's own: all of them
  /// that the client isn't known to own, where the ledger can't be asked.
  func foreign(
    _ itemIDs: [String], of provider: Provider, for identity: Identity,
    on pipeline: RequestPipeline
  ) async -> Set<String> {
    guard !itemIDs.isEmpty, ProviderDialect(provider: provider.name).keepsItems,
      pipeline.rules.settings.metering.unownedObjects == .deny
    else { return [] }
    do throws(LedgerError) {
      return Set(itemIDs).subtracting(
        try await owned(itemIDs, of: provider.name, by: identity.client.id))
    } catch {
      // The request needs no id, so it isn't refused. The log tells of the ledger.
      _ = pipeline.ownersUnavailable(error)
      return Set(itemIDs)
    }
  }

  /// The owner of an object; nil if it has none.
  ///
  /// - Throws: `ledgerUnavailable` where that can't be found out.
  func owner(
    of id: String, of provider: Provider, on pipeline: RequestPipeline
  ) async throws(Refusal) -> ProviderObject.Owner? {
    do throws(LedgerError) {
      return try await owner(of: id, of: provider.name)
    } catch {
      throw pipeline.ownersUnavailable(error)
    }
  }

  /// The ids of a client's batches whose lines other replicas have still to settle.
  ///
  /// - Throws: `ledgerUnavailable` where that can't be found out.
  func unsettledBatches(
    of client: String, at provider: Provider, on pipeline: RequestPipeline
  ) async throws(Refusal) -> [String] {
    do throws(LedgerError) {
      return try await unsettledBatches(of: client, at: provider.name)
    } catch {
      throw pipeline.ownersUnavailable(error)
    }
  }

  /// The ids of objects that a client may use, by when they were recorded.
  ///
  /// - Throws: `ledgerUnavailable` where that can't be found out.
  func ids(of objects: OwnObjects, on pipeline: RequestPipeline) async throws(Refusal) -> [String] {
    do throws(LedgerError) {
      return try await ids(of: objects)
    } catch {
      throw pipeline.ownersUnavailable(error)
    }
  }
}

extension RequestPipeline {
  fileprivate func ownersUnavailable(_ error: LedgerError) -> Refusal {
    gateway.logger.log(.error, "ledger_unavailable") { line in
      line.member("request_id", "\(id)")
      line.member("reason", error.description)
    }
    return .ledgerUnavailable
  }
}

extension ObjectReference {
  /// Whether the provider keeps objects of this kind at all, which others could have left there.
  fileprivate func namesAnything(at provider: Provider) -> Bool {
    if isWholeAccount { return provider.isShared }
    return kind != .item || ProviderDialect(provider: provider.name).keepsItems
  }
}
