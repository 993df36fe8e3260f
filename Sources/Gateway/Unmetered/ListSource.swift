internal import Upstream

/// Where the elements of a list come from: the provider, and the ledger, which knows their owners.
protocol ListSource {
  /// Asks the provider for a page of everybody's objects.
  func page(_ start: ListQuery.Start, size: Int) async throws(ListFailure) -> ListPageAnswer

  /// The objects among `ids` that the client may see.
  func owned(_ ids: [String]) async throws(ListFailure) -> Set<String>

  /// The ids of the objects that the client may see, by when they were recorded.
  ///
  /// - Parameters:
  ///   - start: the id of the object to begin with, itself included; nil or one that the ledger
  ///     doesn't have begins with the first.
  ///   - limit: how many ids are wanted at most.
  func recorded(
    _ order: ListQuery.Order, from start: String?, limit: Int
  ) async throws(ListFailure) -> [String]

  /// Asks the provider for each of some objects, all at once; nil for one that it doesn't have.
  func objects(_ ids: [String]) async throws(ListFailure) -> [ListedObject?]
}

/// A provider's answer to a request for a page.
enum ListPageAnswer {
  case page(ListPage)
  /// More bytes than Catraca reads.
  case tooLarge
  /// An error of the provider, with its body.
  case failed(UpstreamResponseHead, [UInt8])
}

/// An object that was read by its id.
struct ListedObject {
  let element: ListElement
  /// Whether it passes the filters of the list.
  let matches: Bool
}

/// Why a client gets no list.
enum ListFailure: Error {
  case refused(Refusal)
  /// The provider sends more bytes than Catraca reads, even for one object.
  case tooLarge
  /// An error of the provider that the client gets, with its body.
  case answered(UpstreamResponseHead, [UInt8])
}
