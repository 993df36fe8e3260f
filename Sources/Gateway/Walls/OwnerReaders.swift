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
    func owners(
      of ids: [String], _ provider: String
    ) throws(LedgerError) -> [String: ProviderObject] {
      let reader: LedgerReader
      if let open = self.reader { reader = open } else { reader = try LedgerReader(at: location) }
      self.reader = nil
      let owners = try reader.owners(of: ids, provider: provider)
      self.reader = reader
      return owners
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
    let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
    let reader = readers[Int(turn % UInt(readers.count))]
    // An actor that a loop's task calls would run on that loop. A task of its own doesn't.
    let question = Task { () -> Result<[String: ProviderObject], LedgerError> in
      do throws(LedgerError) {
        return .success(try await reader.owners(of: ids, provider))
      } catch {
        return .failure(error)
      }
    }
    return try await question.value.get()
  }
}
