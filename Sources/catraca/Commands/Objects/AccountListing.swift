internal import Configuration
internal import EventLoop
internal import HTTP
internal import JSON
internal import Ledger
internal import Objects
internal import Time
internal import Upstream

/// An object in a provider's list.
struct AccountObject: Hashable {
  let id: String
  let kind: ObjectKind
  /// Nil where the provider doesn't say when it made the object.
  let createdAt: Timestamp?
}

/// Asks a provider for all objects of an account that it lists, page by page.
struct AccountListing {
  private let caller: ServiceCaller
  private let account: Provider

  private static let pageLength = 100
  /// A million objects of a kind.
  private static let mostPages = 10_000
  private static let patience = Duration.seconds(60)

  /// - Parameter kind: only objects of this kind; nil for all that the provider lists.
  /// - Returns: The objects, and a note for each list that the provider doesn't have.
  static func fetch(
    from account: Provider, only kind: ObjectKind?
  ) async throws(CommandError) -> ([AccountObject], notes: [String]) {
    let endpoints = ObjectEndpoints.documented
    let lists = endpoints.compactMap { endpoint -> (path: String, kind: ObjectKind)? in
      guard endpoint.method == "GET", let list = endpoint.list, !list.isWithinOwner,
        !endpoint.pattern.contains("{"), kind == nil || kind == list.kind
      else { return nil }
      // A provider's base URL ends with the first segment.
      return (String(endpoint.pattern.dropFirst("/v1".count)), list.kind)
    }
    guard !lists.isEmpty else {
      throw .failed(
        "object import: no provider lists objects of the kind \(kind?.rawValue ?? ""); "
          + "allowed: --file with their ids")
    }
    let caller: ServiceCaller
    do {
      caller = try await ServiceCaller()
    } catch {
      throw .failed("object import: \(error)")
    }
    let listing = AccountListing(caller: caller, account: account)
    var (objects, notes): ([AccountObject], [String]) = ([], [])
    var failure: CommandError?
    for list in lists where failure == nil {
      do throws(CommandError) {
        if let found = try await listing.objects(of: list.kind, at: list.path) {
          objects += found
        } else {
          notes.append(
            "object import: \(account.name) has no list of the kind \(list.kind.rawValue)")
        }
      } catch {
        failure = error
      }
    }
    await caller.close()
    if let failure { throw failure }
    return (objects, notes)
  }

  /// Nil where the provider has no such list.
  private func objects(
    of kind: ObjectKind, at path: String
  ) async throws(CommandError) -> [AccountObject]? {
    var objects: [AccountObject] = []
    var cursor: String?
    for _ in 0..<AccountListing.mostPages {
      var url = "\(account.baseURL)\(path)?limit=\(AccountListing.pageLength)"
      if let cursor { url += "&after=\(PercentEncoding.encode(cursor))" }
      let result = await caller.get(
        url, bearer: account.apiKey, authorities: account.caFile, within: AccountListing.patience)
      let body: [UInt8]
      switch result {
      case .failure(let error): throw failed(path, "\(error)")
      case .success(let answer) where answer.status == 404 || answer.status == 405: return nil
      case .success(let answer):
        guard answer.status == 200 else { throw failed(path, "is answered \(answer.status)") }
        guard let whole = answer.body else { throw failed(path, "broke off or is too large") }
        body = whole
      }
      guard let root = try? JSONParser().parse(body), let data = root["data"], data.kind == .array
      else { throw failed(path, "the answer is no list") }
      let page = data.elements.compactMap { AccountListing.object($0, kind) }
      objects += page
      guard root["has_more"]?.boolean == true, let last = page.last else { return objects }
      guard last.id != cursor else { throw failed(path, "a page ends where it began") }
      cursor = last.id
    }
    throw failed(path, "has more than \(AccountListing.mostPages) pages")
  }

  private static func object(_ value: JSONValue, _ kind: ObjectKind) -> AccountObject? {
    guard let id = value["id"]?.string, ProviderObject.isID(id) else { return nil }
    let seconds = (value["created_at"] ?? value["created"])?.integer
    let instant = seconds.flatMap { seconds in
      (0...latestSecond).contains(seconds) ? Timestamp(milliseconds: seconds * 1_000) : nil
    }
    return AccountObject(id: id, kind: kind, createdAt: instant)
  }

  /// In the year 2100.
  private static let latestSecond: Int64 = 4_102_444_800

  private func failed(_ path: String, _ what: String) -> CommandError {
    .failed("object import: GET \(account.baseURL)\(path): \(what)")
  }
}
