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
final class OwnListForwarding: ListSource {
  private let query: ListQuery
  private let forwarded: UnmeteredForwarding
  /// Of the provider's first page; its fields go to the client.
  private var firstHead: UpstreamResponseHead?

  private var pipeline: RequestPipeline { forwarded.pipeline }

  init(_ query: ListQuery, of forwarded: UnmeteredForwarding) {
    self.query = query
    self.forwarded = forwarded
  }

  func run() async throws(Refusal) {
    do throws(ListFailure) {
      let found = try await OwnList(query, from: self).run()
      try await recordShown(in: found.elements)
      guard let firstHead else { return }
      forwarded.note(status: firstHead.status)
      await forwarded.respond(
        UpstreamResponseHead(
          status: firstHead.status, version: firstHead.version,
          fields: OwnListForwarding.withoutValidators(firstHead.fields)),
        found.form.list(of: found.elements, hasMore: found.hasMore))
    } catch {
      switch error {
      case .refused(let refusal): throw refusal
      case .tooLarge:
        throw .unusableAnswer(
          provider: forwarded.provider.name, .tooLarge(limit: UnmeteredForwarding.largestAnswer))
      case .answered(let head, let body):
        guard ListPage.isError(body, parser: pipeline.resources.parser) else {
          throw .unusableAnswer(provider: forwarded.provider.name, .unreadable)
        }
        forwarded.note(status: head.status)
        await forwarded.respond(head, body)
      }
    }
  }

  // MARK: Asking the provider

  func page(
    _ start: ListQuery.Start, size: Int
  ) async throws(ListFailure) -> ListPageAnswer {
    let hasPages = ProviderDialect(provider: forwarded.provider.name).hasListPages
    let transfer = try begin(
      forwarded.path, hasPages ? query.text(from: start, size: size) : query.filterText)
    pipeline.exchange.onClientGone = { transfer.cancel() }
    let (head, body) = try await answer(of: transfer)
    guard head.status < 400 else { return .failed(head, body ?? []) }
    // The fields of a redirection may name other clients' objects.
    guard head.status < 300 else { throw unreadable }
    guard let body else { return .tooLarge }
    guard let page = ListPage(body, parser: pipeline.resources.parser) else { throw unreadable }
    firstHead = firstHead ?? head
    return .page(page)
  }

  func objects(_ ids: [String]) async throws(ListFailure) -> [ListedObject?] {
    var transfers: [Transfer?] = []
    for id in ids {
      // Only an id that can stand in a path is asked for.
      transfers.append(MadeObject.isID(id) ? try begin("\(forwarded.path)/\(id)", nil) : nil)
    }
    let begun = transfers.compactMap { $0 }
    pipeline.exchange.onClientGone = { for transfer in begun { transfer.cancel() } }
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
      guard head.status < 300 else { throw unreadable }
      guard let body else { throw .tooLarge }
      objects.append(try object(id, in: body))
    }
    return objects
  }

  private func object(
    _ id: String, in body: [UInt8]
  ) throws(ListFailure) -> ListedObject {
    guard let root = try? pipeline.resources.parser.parse(body),
      let element = ListElement(root, of: id, in: body)
    else { throw unreadable }
    return ListedObject(element: element, matches: query.matches(root))
  }

  private var unreadable: ListFailure {
    .refused(.unusableAnswer(provider: forwarded.provider.name, .unreadable))
  }

  private func begin(_ path: String, _ query: String?) throws(ListFailure) -> Transfer {
    let limits = pipeline.rules.settings.limits
    let provider = forwarded.provider
    var fields = pipeline.forwardedFields(to: provider)
    // The request has no body.
    fields.remove(.contentType)
    do throws(Refusal) {
      return try forwarded.start(
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
      let body = try await transfer.body(atMost: UnmeteredForwarding.largestAnswer)
      guard let body else { return (head, nil) }
      coded = (head, body)
    } catch {
      throw .refused(pipeline.refusal(for: error, of: forwarded.provider.name))
    }
    let (head, body) = coded
    guard let text = head.coding.text(of: body, atMost: UnmeteredForwarding.largestAnswer) else {
      throw unreadable
    }
    return (head.withoutCoding, text)
  }

  /// Without what tells of changes to everybody's list.
  private static func withoutValidators(_ fields: HeaderFields) -> HeaderFields {
    var fields = fields
    let names: [FieldName] = ["etag", "last-modified", "link", "location", "content-location"]
    for name in names { fields.remove(name) }
    return fields
  }

  // MARK: Asking the ledger

  func owned(_ ids: [String]) async throws(ListFailure) -> Set<String> {
    do {
      return try await pipeline.gateway.owners.owned(
        ids, of: forwarded.provider, for: forwarded.identity, on: pipeline)
    } catch { throw .refused(error) }
  }

  func recorded(
    _ order: ListQuery.Order, from start: String?, limit: Int
  ) async throws(ListFailure) -> [String] {
    do {
      return try await pipeline.gateway.owners.ids(
        of: OwnObjects(
          of: forwarded.identity.client.id, provider: forwarded.provider.name,
          kind: query.list.kind, isNewestFirst: order == .descending, from: start,
          limit: limit), on: pipeline)
    } catch { throw .refused(error) }
  }

  /// Records what the objects of a list show, such as the output files of a batch.
  private func recordShown(in elements: [ListElement]) async throws(ListFailure) {
    let places =
      ObjectEndpoints.match(method: "GET", path: "\(forwarded.path)/ID")?.endpoint.makes ?? []
    guard !places.isEmpty else { return }
    for element in elements {
      guard let root = try? pipeline.resources.parser.parse(element.json) else { continue }
      let made = MadeObjects.inAnswer(root, at: places)
      guard !made.isEmpty else { continue }
      do { try await forwarded.record(made, in: element.id) } catch { throw .refused(error) }
    }
  }
}
