internal import Objects

/// Finds the page of a list that a client may see: its own objects and shared ones.
///
/// The provider lists the objects of all clients. So Catraca asks it for its largest pages, one
/// after the other, and keeps the client's objects until there are `limit` of them and one more,
/// which tells whether more are left.
///
/// If a client has few objects among many, that could go on for long. Then Catraca asks for the
/// objects that the ledger has of the client instead, each by its id:
///
/// - after the first page, if the client has at most `few` objects: that takes less than up to 19
///   further pages, one after the other. The first page is asked for all the same, since it is the
///   only request in a small account, and shows the form and the order of the list.
/// - after `mostPages` pages, or if the provider refuses a further page.
///
/// Example: 3 objects among 250, in pages of 100. The first page has none of them, so the 3 are
/// read by their ids: 4 requests in all.
struct OwnList<Source: ListSource> {
  let query: ListQuery
  let source: Source

  /// The most pages that are asked for.
  private let mostPages = 20
  /// A client with at most this many objects counts as having few.
  private let few = 20
  /// The most objects that are read by their ids.
  private let mostByID = 200
  /// The number of objects that are read by their ids at once.
  private let atOnce = 8

  init(_ query: ListQuery, from source: Source) {
    self.query = query
    self.source = source
  }

  /// The page that the client gets.
  struct Found {
    var elements: [ListElement]
    let hasMore: Bool
    let form: ListForm
  }

  /// The elements of the provider's pages so far. Elements are in the order in which the list is
  /// walked: toward its beginning where the query goes backward.
  private struct Scan {
    var elements: [ListElement] = []
    var seen: Set<String> = []
    var form: ListForm?
    var order: ListQuery.Order?
  }

  func run() async throws(ListFailure) -> Found {
    var scan = Scan()
    var start = query.start
    var size = query.list.largestLimit
    for _ in 0..<mostPages {
      switch try await source.page(start, size: size) {
      case .tooLarge:
        guard size > 1 else { throw .tooLarge }
        size = max(1, size / 4)
      case .failed(let head, let body):
        guard let form = scan.form else { throw .answered(head, body) }
        // The error may name the last object of the page before, which may be another client's.
        return try await foundByID(scan, form)
      case .page(let page):
        let isFirst = scan.form == nil
        let hasNew = try await add(page, to: &scan)
        guard page.form.hasPages else {
          return Found(elements: scan.elements, hasMore: false, form: page.form)
        }
        guard page.hasMore, hasNew, scan.elements.count <= query.limit,
          let next = next(behind: page)
        else { return found(scan.elements, page.form) }
        start = next
        if isFirst, try await hasFew() { return try await foundByID(scan, page.form) }
      }
    }
    guard let form = scan.form else { throw .tooLarge }
    return try await foundByID(scan, form)
  }

  /// Keeps what the client may see of a page. Returns whether the page has an object that no page
  /// before it had.
  private func add(_ page: ListPage, to scan: inout Scan) async throws(ListFailure) -> Bool {
    let ids = page.ids.filter { !scan.seen.contains($0) }
    let elements = page.elements(with: try await source.owned(ids).intersection(ids))
    for element in query.start.isBackward ? elements.reversed() : elements
    where !scan.seen.contains(element.id) {
      scan.elements.append(element)
    }
    scan.seen.formUnion(ids)
    scan.form = scan.form ?? page.form
    scan.order = scan.order ?? page.shownOrder
    return !ids.isEmpty
  }

  private func next(behind page: ListPage) -> ListQuery.Start? {
    query.start.isBackward
      ? page.ids.first.map { .before($0) } : page.ids.last.map { .after($0) }
  }

  /// - Parameter elements: in the order in which the list is walked.
  private func found(
    _ elements: [ListElement], _ form: ListForm, isCut: Bool = false
  ) -> Found {
    let page = Array(elements.prefix(query.limit))
    return Found(
      elements: query.start.isBackward ? page.reversed() : page,
      hasMore: isCut || elements.count > query.limit, form: form)
  }

  // MARK: By their ids

  private func hasFew() async throws(ListFailure) -> Bool {
    try await source.recorded(.descending, from: nil, limit: few + 1).count <= few
  }

  /// Completes what the pages have shown with objects that are read by their ids.
  private func foundByID(
    _ scan: Scan, _ form: ListForm
  ) async throws(ListFailure) -> Found {
    if let name = query.unknownFilter { throw .refused(.listQuery(.unknownFilter(name))) }
    var order = query.sentOrder.flatMap { ListQuery.Order(rawValue: $0) } ?? scan.order
    if query.start.isBackward { order = order?.reversed ?? .ascending }
    var walk = ListWalk(order ?? .descending, shown: scan.elements)
    if let id = query.start.id { try await begin(&walk, behind: id) }
    var ids = try await source.recorded(walk.order, from: nil, limit: few + 1)
    let hasFew = ids.count <= few
    if !hasFew {
      ids = try await source.recorded(walk.order, from: query.start.id, limit: mostByID)
    }
    walk.note(ids)
    var rest = ids.filter { !scan.seen.contains($0) && $0 != query.start.id }[...]
    // Few are read to the last, so that they are in order whenever they were recorded.
    while !rest.isEmpty, hasFew || walk.elements.count <= query.limit {
      let chunk = rest.prefix(atOnce)
      rest = rest.dropFirst(chunk.count)
      for case let object? in try await source.objects(Array(chunk)) where object.matches {
        walk.add(object.element)
      }
    }
    return found(walk.sorted(), form, isCut: !hasFew && rest.isEmpty && ids.count >= mostByID)
  }

  private func begin(
    _ walk: inout ListWalk, behind id: String
  ) async throws(ListFailure) {
    guard let object = try await source.objects([id]).first ?? nil else {
      let place = query.start.isBackward ? "before" : "after"
      throw .refused(.unknownObject(ObjectReference(query.list.kind, id, at: place)))
    }
    walk.begin(behind: object.element)
  }
}
