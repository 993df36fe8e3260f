internal import Configuration
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Ledger
internal import Metering
internal import Objects
internal import Upstream

/// Answers a request for a list with the client's own objects and shared ones.
final class OwnListPassage: ListSource {
  private let query: ListQuery
  private let passage: FreePassage
  /// Of the provider's first page; its fields go to the client.
  private var firstHead: UpstreamResponseHead?

  private var journey: Journey { passage.journey }

  init(_ query: ListQuery, of passage: FreePassage) {
    self.query = query
    self.passage = passage
  }

  func run() async throws(Refusal) {
    do throws(ListFailure) {
      let found = try await OwnList(query, from: self).run()
      try await recordShown(in: found.elements)
      guard let firstHead else { return }
      passage.note(status: firstHead.status)
      await passage.respond(
        UpstreamResponseHead(
          status: firstHead.status, version: firstHead.version,
          fields: OwnListPassage.withoutValidators(firstHead.fields)),
        found.form.list(of: found.elements, hasMore: found.hasMore))
    } catch {
      switch error {
      case .refused(let refusal): throw refusal
      case .tooLarge:
        throw .unusableAnswer(
          provider: passage.provider.name, .tooLarge(limit: FreePassage.largestAnswer))
      case .answered(let head, let body):
        passage.note(status: head.status)
        await passage.respond(head, body)
      }
    }
  }

  // MARK: Asking the provider

  func page(
    _ start: ListQuery.Start, size: Int
  ) async throws(ListFailure) -> ListPageAnswer {
    let hasPages = ProviderDialect(provider: passage.provider.name).hasListPages
    let transfer = try begin(
      passage.path, hasPages ? query.text(from: start, size: size) : query.filterText)
    journey.exchange.onClientGone = { transfer.cancel() }
    let (head, body) = try await answer(of: transfer)
    guard head.status < 400 else { return .failed(head, body ?? []) }
    guard let body else { return .tooLarge }
    guard let page = ListPage(body, parser: journey.workbench.parser) else { throw unreadable }
    firstHead = firstHead ?? head
    return .page(page)
  }

  func objects(_ ids: [String]) async throws(ListFailure) -> [ListedObject?] {
    var transfers: [Transfer?] = []
    for id in ids {
      // Only an id that can stand in a path is asked for.
      transfers.append(MadeObject.isID(id) ? try begin("\(passage.path)/\(id)", nil) : nil)
    }
    let begun = transfers.compactMap { $0 }
    journey.exchange.onClientGone = { for transfer in begun { transfer.cancel() } }
    var objects: [ListedObject?] = []
    for (id, transfer) in zip(ids, transfers) {
      guard let transfer else {
        objects.append(nil)
        continue
      }
      let (head, body) = try await answer(of: transfer)
      guard head.status != 404 else {
        objects.append(nil)
        continue
      }
      guard head.status < 400 else { throw .answered(head, body ?? []) }
      guard let body else { throw .tooLarge }
      objects.append(try object(id, in: body))
    }
    return objects
  }

  private func object(
    _ id: String, in body: [UInt8]
  ) throws(ListFailure) -> ListedObject {
    guard let root = try? journey.workbench.parser.parse(body),
      let element = ListElement(root, of: id, in: body)
    else { throw unreadable }
    return ListedObject(element: element, matches: query.matches(root))
  }

  private var unreadable: ListFailure {
    .refused(.unusableAnswer(provider: passage.provider.name, .unreadable))
  }

  private func begin(_ path: String, _ query: String?) throws(ListFailure) -> Transfer {
    let limits = journey.rules.settings.limits
    let provider = passage.provider
    var fields = journey.forwardedFields(to: provider)
    // The request has no body.
    fields.remove(.contentType)
    do throws(Refusal) {
      return try passage.start(
        UpstreamRequest(
          url: Forwarding.url(path, query: query, of: provider), method: .get, fields: fields,
          connectTimeout: limits.upstreamConnect, idleTimeout: limits.upstreamIdle,
          certificateAuthorities: provider.caFile))
    } catch { throw .refused(error) }
  }

  /// - Returns: the body, decoded; nil where it is too large.
  private func answer(
    of transfer: Transfer
  ) async throws(ListFailure) -> (UpstreamResponseHead, [UInt8]?) {
    let coded: (UpstreamResponseHead, [UInt8])
    do {
      let head = try await transfer.head()
      let body = try await transfer.body(atMost: FreePassage.largestAnswer)
      guard let body else { return (head, nil) }
      coded = (head, body)
    } catch {
      throw .refused(Refusal(error, provider: passage.provider.name, on: journey))
    }
    let (head, body) = coded
    guard let text = head.coding.text(of: body, atMost: FreePassage.largestAnswer) else {
      throw unreadable
    }
    return (head.withoutCoding, text)
  }

  /// Without what tells of changes to everybody's list.
  private static func withoutValidators(_ fields: HeaderFields) -> HeaderFields {
    var fields = fields
    for name: FieldName in ["etag", "last-modified", "link"] { fields.remove(name) }
    return fields
  }

  // MARK: Asking the ledger

  func owned(_ ids: [String]) async throws(ListFailure) -> Set<String> {
    do {
      return try await journey.gateway.owners.owned(
        ids, of: passage.provider, for: passage.identity, on: journey)
    } catch { throw .refused(error) }
  }

  func recorded(
    _ order: ListQuery.Order, from start: String?, limit: Int
  ) async throws(ListFailure) -> [String] {
    do {
      return try await journey.gateway.owners.ids(
        of: OwnObjects(
          of: passage.identity.client.id, provider: passage.provider.name,
          kind: query.list.kind, isNewestFirst: order == .descending, from: start,
          limit: limit), on: journey)
    } catch { throw .refused(error) }
  }

  /// Records what the objects of a list show, such as the output files of a batch.
  private func recordShown(in elements: [ListElement]) async throws(ListFailure) {
    let places =
      ObjectEndpoints.match(method: "GET", path: "\(passage.path)/ID")?.endpoint.makes ?? []
    guard !places.isEmpty else { return }
    for element in elements {
      guard let root = try? journey.workbench.parser.parse(element.json) else { continue }
      let made = MadeObjects.inAnswer(root, at: places)
      guard !made.isEmpty else { continue }
      do { try await passage.record(made, in: element.id) } catch { throw .refused(error) }
    }
  }
}
