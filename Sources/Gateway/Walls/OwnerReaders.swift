internal import Ledger
internal import Synchronization

/// Reads owners from the ledger, which blocks, so that no event loop does.
final class OwnerReaders: Sendable {
  /// A connection to the ledger's database, for one question after the other.
  private actor Reader {
    private let location: LedgerLocation
    private var reader: LedgerReader?

    init(at location: LedgerLocation) {
      self.location = location
    }

    /// - Throws: `LedgerError` where the ledger can't be read. The connection is opened again then.
    func answer<Answer>(
      _ question: (LedgerReader) throws(LedgerError) -> Answer
    ) throws(LedgerError) -> Answer {
      let reader: LedgerReader
      if let open = self.reader { reader = open } else { reader = try LedgerReader(at: location) }
      self.reader = nil
      let answer = try question(reader)
      self.reader = reader
      return answer
    }
  }

  /// How many questions are asked at once. Each has a connection of its own.
  private static let count = 4

  private let readers: [Reader]
  private let next = Atomic<UInt>(0)

  init(at location: LedgerLocation) {
    readers = (0..<OwnerReaders.count).map { _ in Reader(at: location) }
  }

  /// The objects among `ids` that the ledger knows of a provider, by their ids.
  ///
  /// - Throws: `LedgerError` where the ledger can't be read.
  func owners(
    of ids: [String], _ provider: String
  ) async throws(LedgerError) -> [String: ProviderObject] {
    try await ask { reader throws(LedgerError) in
      try reader.owners(of: ids, provider: provider)
    }
  }

  /// The ids of objects that a client may use, as far as the ledger knows them.
  ///
  /// - Throws: `LedgerError` where the ledger can't be read.
  func ids(of objects: OwnObjects) async throws(LedgerError) -> [String] {
    try await ask { reader throws(LedgerError) in try reader.ids(of: objects) }
  }

  /// The ids of a client's batches that aren't settled yet, those begun last first.
  ///
  /// - Throws: `LedgerError` where the ledger can't be read.
  func unsettledBatches(
    of client: String, _ provider: String
  ) async throws(LedgerError) -> [String] {
    try await ask { reader throws(LedgerError) in
      try reader.deferredRequests().reversed()
        .filter {
          $0.kind == .batch && $0.provider == provider && $0.expected.row.clientID == client
        }
        .map(\.objectID)
    }
  }

  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (LedgerReader) throws(LedgerError) -> Answer
  ) async throws(LedgerError) -> Answer {
    let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
    let reader = readers[Int(turn % UInt(readers.count))]
    // An actor that a loop's task calls would run on that loop. A task of its own doesn't.
    let task = Task { () -> Result<Answer, LedgerError> in
      do throws(LedgerError) {
        return .success(try await reader.answer(question))
      } catch {
        return .failure(error)
      }
    }
    return try await task.value.get()
  }
}
