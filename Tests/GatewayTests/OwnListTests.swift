import HTTP
import JSON
import Testing
import Upstream

@testable import Gateway
@testable import Objects

/// An account with files, of which the client may see some, and the ledger of both.
private final class StandIn: ListSource {
  /// Oldest first, with the second in which each was made.
  let files: [(id: String, second: Int)]
  let owned: Set<String>
  /// The client's, as they were recorded, oldest first.
  var recorded: [String]
  var largestPage = 100
  /// Pages after this one are refused.
  var servesPages = Int.max
  /// Whether pages have `has_more`.
  var hasPages = true
  private(set) var pages = 0
  private(set) var reads: [String] = []
  private let query: ListQuery
  private let parser = JSONParser()

  init(_ ids: [String], owned: [String], _ query: ListQuery) {
    files = ids.enumerated().map { ($1, $0) }
    self.owned = Set(owned)
    recorded = ids.filter(self.owned.contains)
    self.query = query
  }

  private func json(_ file: (id: String, second: Int)) -> String {
    let purpose = file.id.hasSuffix("0") ? "batch" : "vision"
    return #"{"id":"\#(file.id)","created_at":\#(file.second),"purpose":"\#(purpose)"}"#
  }

  func page(
    _ start: ListQuery.Start, size: Int
  ) async throws(ListFailure) -> ListPageAnswer {
    pages += 1
    guard pages <= servesPages else {
      let head = UpstreamResponseHead(status: 404, version: .http11, fields: HeaderFields())
      return .failed(head, [])
    }
    let order = query.sentOrder == "asc" ? files : files.reversed()
    var rest = order[...]
    switch start {
    case .beginning: break
    case .after(let id): rest = rest.drop { $0.id != id }.dropFirst()
    case .before(let id): rest = rest.prefix { $0.id != id }
    }
    let count = min(size, largestPage)
    let shown = start.isBackward ? rest.suffix(count) : rest.prefix(count)
    let more = hasPages ? #","has_more":\#(shown.count < rest.count)"# : ""
    let text = #"{"object":"list","data":[\#(shown.map(json).joined(separator: ","))]\#(more)}"#
    guard let page = ListPage(Array(text.utf8), parser: parser) else { return .tooLarge }
    return .page(page)
  }

  func owned(_ ids: [String]) async throws(ListFailure) -> Set<String> {
    owned.intersection(ids)
  }

  func recorded(
    _ order: ListQuery.Order, from start: String?, limit: Int
  ) async throws(ListFailure) -> [String] {
    var ids = (order == .ascending ? recorded : recorded.reversed())[...]
    if let start, ids.contains(start) { ids = ids.drop { $0 != start } }
    return Array(ids.prefix(limit))
  }

  func objects(_ ids: [String]) async throws(ListFailure) -> [ListedObject?] {
    reads += ids
    return ids.map { id in
      guard let file = files.first(where: { $0.id == id }) else { return nil }
      let body = Array(json(file).utf8)
      guard let root = try? parser.parse(body),
        let element = ListElement(root, of: id, in: body)
      else { return nil }
      return ListedObject(element: element, matches: query.matches(root))
    }
  }
}

@Suite("The client's own part of a list")
struct OwnListTests {
  private static let list = ObjectEndpoint.List.of(.file)

  private func all(_ count: Int) -> [String] { (0..<count).map { "f\($0)" } }

  private func found(
    _ query: String?, in ids: [String], owned: [String],
    list: ObjectEndpoint.List = OwnListTests.list, _ change: (StandIn) -> Void = { _ in }
  ) async throws -> (ids: [String], hasMore: Bool, account: StandIn) {
    let query = try ListQuery(query, of: list)
    let account = StandIn(ids, owned: owned, query)
    change(account)
    let found = try await OwnList(query, from: account).run()
    return (found.elements.map(\.id), found.hasMore, account)
  }

  @Test("An account of one page takes one request, whatever the client has in it")
  func small() async throws {
    let (ids, hasMore, account) = try await found(nil, in: all(90), owned: ["f7", "f3", "f80"])
    #expect(ids == ["f80", "f7", "f3"])
    #expect(!hasMore)
    #expect(account.pages == 1 && account.reads.isEmpty)
  }

  @Test(
    "Pages are full, in both orders, until nothing is left",
    arguments: ["asc", "desc"], [1, 7, 50, 100])
  func full(order: String, limit: Int) async throws {
    // Every third of 900: in each page of 100 there are others' between them.
    let own = stride(from: 0, to: 900, by: 3).map { "f\($0)" }
    let expected = order == "asc" ? own : own.reversed()
    var walked: [String] = []
    while true {
      let after = walked.last.map { "&after=\($0)" } ?? ""
      let (ids, hasMore, account) = try await found(
        "order=\(order)&limit=\(limit)\(after)", in: all(900), owned: own)
      #expect(account.reads.isEmpty)
      walked += ids
      guard hasMore else { break }
      try #require(ids.count == limit)
    }
    #expect(walked == expected)
  }

  @Test("Few objects among many are read by their ids, after the first page")
  func few() async throws {
    let own = ["f3", "f4", "f70"]
    let (ids, hasMore, account) = try await found(nil, in: all(5000), owned: own)
    #expect(ids == ["f70", "f4", "f3"])
    #expect(!hasMore)
    #expect(account.pages == 1)
    #expect(Set(account.reads) == Set(own))
  }

  @Test(
    "Few objects are walked by cursors as the provider has them, whenever they were recorded",
    arguments: ["asc", "desc"])
  func fewByCursor(order: String) async throws {
    let own = ["f3", "f4", "f70", "f71", "f4990"]
    let expected = order == "asc" ? own : own.reversed()
    var walked: [String] = []
    while true {
      let after = walked.last.map { "&after=\($0)" } ?? ""
      let (ids, hasMore, _) = try await found(
        "order=\(order)&limit=2\(after)", in: all(5000), owned: own
      ) { $0.recorded = ["f70", "f4990", "f3", "f71", "f4"] }
      walked += ids
      guard hasMore else { break }
      try #require(ids.count == 2)
    }
    #expect(walked == expected)
  }

  @Test("After 20 pages the rest is read by its ids, and no more than is needed")
  func bounded() async throws {
    // All of the client's 30 are older than the newest 2,000.
    let own = (0..<30).map { "f\($0)" }
    let (ids, hasMore, account) = try await found("limit=5", in: all(2500), owned: own)
    #expect(ids == ["f29", "f28", "f27", "f26", "f25"])
    #expect(hasMore)
    #expect(account.pages == 20)
    #expect(account.reads.count == 8)
  }

  @Test("What pages have shown isn't read again")
  func mixed() async throws {
    let own = (0..<30).map { "f\($0)" } + ["f2400", "f2499"]
    let (ids, hasMore, account) = try await found("limit=4", in: all(2500), owned: own)
    #expect(ids == ["f2499", "f2400", "f29", "f28"])
    #expect(hasMore)
    #expect(!account.reads.contains("f2400"))
  }

  @Test("An error behind the first page isn't shown: what is left is read by its ids")
  func refusedPage() async throws {
    let own = (0..<30).map { "f\($0)" }
    let (ids, _, account) = try await found("limit=3", in: all(500), owned: own) {
      $0.servesPages = 2
    }
    #expect(ids == ["f29", "f28", "f27"])
    #expect(account.pages == 3)
  }

  @Test("Objects that are gone at the provider are left out")
  func gone() async throws {
    let own = ["f3", "f4"]
    let (ids, hasMore, _) = try await found(nil, in: all(500), owned: own) {
      $0.recorded = ["f3", "gone", "f4"]
    }
    #expect(ids == ["f4", "f3"])
    #expect(!hasMore)
  }

  @Test("Objects that are read by their ids pass the filters")
  func filtered() async throws {
    let own = ["f3", "f10", "f20"]
    // The stand-in's pages have every purpose.
    let (ids, _, account) = try await found("purpose=batch", in: all(5000), owned: own)
    #expect(ids == ["f20", "f10"])
    #expect(account.reads.count == 3)
  }

  @Test("A filter that is unknown here refuses a list that must be read by ids")
  func unknownFilter() async throws {
    await #expect(throws: ListFailure.self) {
      _ = try await found("shade=red", in: all(5000), owned: ["f1"])
    }
  }

  @Test("A list without pages is filtered, and nothing else")
  func withoutPages() async throws {
    let (ids, hasMore, account) = try await found(
      "limit=2", in: all(90), owned: ["f7", "f3", "f80"]
    ) { $0.hasPages = false }
    #expect(ids == ["f80", "f7", "f3"])
    #expect(!hasMore)
    #expect(account.pages == 1)
  }

  @Test("A list that goes backward shows what is next to its cursor, in the list's order")
  func backward() async throws {
    let own = (0..<40).map { "f\($0 * 5)" }
    let stores = ObjectEndpoint.List.of(.vectorStore)
    let (ids, hasMore, _) = try await found(
      "before=f100&limit=3", in: all(200), owned: own, list: stores)
    #expect(ids == ["f115", "f110", "f105"])
    #expect(hasMore)
    let (last, more, _) = try await found(
      "before=f190&limit=3", in: all(200), owned: own, list: stores)
    #expect(last == ["f195"])
    #expect(!more)
  }
}

@Suite("What a provider's list may show")
struct ListPageTests {
  private let parser = JSONParser()

  @Test("An object with several ids is left out: readers differ in which of them they take")
  func severalIDs() throws {
    let text = #"{"data":[{"id":"mine","id":"theirs"},{"id":"a"},{"id":7},{"x":{"id":"b"}}]}"#
    let page = try #require(ListPage(Array(text.utf8), parser: parser))
    #expect(page.ids == ["a"])
    let twice = #"{"id":"mine","id":"theirs","created_at":1}"#
    #expect(
      ListElement(try parser.parse(Array(twice.utf8)), of: "mine", in: Array(twice.utf8)) == nil)
  }

  @Test(
    "An error that lists objects isn't passed on",
    arguments: [
      (#"{"error":{"message":"no","param":null}}"#, true),
      (#"{"detail":[{"loc":["query","limit"],"msg":"no"}]}"#, true),
      ("<html>bad gateway</html>", true), ("", true),
      (#"{"object":"list","data":[{"id":"file-1"}]}"#, false),
      (#"{"error":{"message":"no"},"data":[{"id":"file-1"}]}"#, false),
      (#"{"error":{"inner":{"objects":[[{"id":"file-1"}]]}}}"#, false),
      (#"[{"id":"file-1"}]"#, false), (#" {"data":[{"id":"file-1"}"#, false),
    ])
  func errors(body: String, passes: Bool) {
    #expect(ListPage.isError(Array(body.utf8), parser: parser) == passes)
  }
}
