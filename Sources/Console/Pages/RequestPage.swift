internal import Configuration
internal import JSON
internal import Ledger
internal import Money
internal import Pages
internal import Pricing
internal import Time

/// One request: how its cost was calculated, its details, and what was held.
enum RequestPage {
  static var routes: [PageRoute] {
    [PageRoute(.get, "/dashboard/requests/{request}", .viewer, show)]
  }

  private static func show(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    let reader = pageRequest.reader
    let (entry, bill) = try LogCalls.explainedRow(
      pageRequest.call.parameter("request"), pageRequest.call)
    let row = entry.content
    return pageRequest.page(
      .request, in: .requests,
      #"""
      <div class="head"><h1>\#(reader(.request))</h1><code>\#("\(row.requestID)")</code></div>
      <div class="stack"><section class="card"><h2>\#(reader(.whyItCost))</h2>\#
      \#(explanation(row, bill, reader))\#(providerCost(row, pageRequest))</section>
      <div class="columns"><section class="card"><h2>\#(reader(.whoAndWhat))</h2>\#
      \#(facts(row, pageRequest))</section>
      <section class="card"><h2>\#(reader(.heldAndUsed))</h2>\#(held(row, reader))</section></div>
      </div>
      """#)
  }

  // MARK: Quantities × prices

  private static func explanation(_ row: UsageRow, _ bill: Bill?, _ reader: Reader) -> HTML {
    let dollars = Money(nanoUnits: row.costNanoUSD, currency: .usd)
    let origin = bill?.items.first?.tariff.origin
    let source = origin.map { origin -> HTML in
      #"<p class="small soft"><code>\#(origin.file)</code>, \#(reader.date(origin.asOf))</p>"#
    }
    return #"""
      \#(CostLines(bill?.lines ?? [], reader).html)\#
      <p><strong>\#(reader.exactMoney(dollars))</strong>\#(if: row.cost.currency != .usd,
        #" = <strong>\#(reader.exactMoney(row.cost))</strong>"#)</p>\#(source)
      """#
  }

  /// The provider's cost and the margin. Only administrators see them.
  private static func providerCost(_ row: UsageRow, _ pageRequest: PageRequest) -> HTML? {
    guard pageRequest.call.showsProviderCosts else { return nil }
    let reader = pageRequest.reader
    let costs = ProviderCosts(
      chargedNanoUSD: row.costNanoUSD, providerNanoUSD: row.providerCostNanoUSD)
    var facts = FactList(reader)
    facts.add(.providerCost, reader.exactMoney(costs.provider))
    facts.add(.margin, reader.exactMoney(costs.margin))
    return facts.html
  }

  // MARK: Facts

  private static func facts(_ row: UsageRow, _ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    let zone = pageRequest.call.clients.client(row.clientID)?.timeZone ?? .utc
    var facts = FactList(reader)
    facts.add(.momentIn(zone.identifier), reader.moment(row.createdAt, in: zone))
    facts.add(
      .client,
      html: #"<a href="\#(SitePath.client(row.clientID))">\#(row.clientID)</a>"#)
    facts.add(.key, row.keyName)
    facts.add(.user, row.userID)
    facts.add(.conversation, row.conversationID)
    facts.add(.agent, row.agentID)
    facts.add(.provider, row.provider)
    facts.add(.model, row.model)
    facts.add(.answeredBy, row.responseModel)
    facts.add(.operation, reader(.name(of: row.operation)))
    facts.add(.toolCalls, toolCalls(row))
    facts.add(.endpoint, row.endpoint)
    facts.add(.outcome, reader(.name(of: row.outcome)) + " (\(row.status))")
    facts.add(.usageFrom, reader(.name(of: row.usageSource)))
    facts.add(.latency, row.latencyMilliseconds.map { "\(reader.number($0)) ms" })
    facts.add(.firstToken, row.timeToFirstTokenMilliseconds.map { "\(reader.number($0)) ms" })
    facts.add(.overhead, row.overheadMicroseconds.map { "\(reader.number($0)) µs" })
    facts.add(.metadata, html: row.metadata.map { #"<code>\#($0)</code>"# })
    return facts.html
  }

  /// `file_search: 1, web_search: 2`; nil if the request made no such calls.
  private static func toolCalls(_ row: UsageRow) -> String? {
    guard let text = row.toolCalls, let calls = try? JSONParser().parse(Array(text.utf8)) else {
      return nil
    }
    let counts = calls.members.compactMap { member in
      member.value.integer.map { "\(member.key.string ?? ""): \($0)" }
    }
    return counts.isEmpty ? nil : counts.sorted().joined(separator: ", ")
  }

  private static func held(_ row: UsageRow, _ reader: Reader) -> HTML {
    func figures(_ tokens: Int64, _ nanoUSD: Int64) -> String {
      let cost = reader.exactMoney(Money(nanoUnits: nanoUSD, currency: .usd))
      return "\(reader(.tokenCount(reader.number(tokens)))) · \(cost)"
    }
    var facts = FactList(reader)
    facts.add(.heldBefore, figures(row.heldTokens, row.heldNanoUSD))
    facts.add(.usedThen, figures(row.usage.totalTokens, row.costNanoUSD))
    if row.overrunTokens > 0 || row.overrunNanoUSD > 0 {
      facts.add(.aboveHold, figures(row.overrunTokens, row.overrunNanoUSD))
    }
    facts.add(.inputTokens, reader.number(row.usage.inputTokens))
    facts.add(.cached, reader.number(row.usage.cachedInputTokens))
    facts.add(.outputTokens, reader.number(row.usage.outputTokens))
    facts.add(.reasoning, reader.number(row.usage.reasoningTokens))
    return facts.html
  }
}

extension Phrase {
  fileprivate static let request = Phrase("Request", "Requisição")
  fileprivate static let whyItCost = Phrase(
    "How the cost was calculated", "Como o custo foi calculado")
  fileprivate static let whoAndWhat = Phrase("Details", "Detalhes")
  fileprivate static let heldAndUsed = Phrase("Held and used", "Reservado e usado")
  static let item = Phrase("Item", "Item")
  static let quantity = Phrase("Quantity", "Quantidade")
  static let unitPrice = Phrase("Unit price (USD)", "Preço unitário (USD)")
  static let costUSD = Phrase("Cost (USD)", "Custo (USD)")
  static let toolCalls = Phrase("Tool calls", "Chamadas de ferramentas")
  fileprivate static let agent = Phrase("Agent", "Agente")
  fileprivate static let answeredBy = Phrase("Model that answered", "Modelo que respondeu")
  fileprivate static let endpoint = Phrase("Endpoint", "Endpoint")
  fileprivate static let latency = Phrase("Latency", "Latência")
  fileprivate static let firstToken = Phrase("Time to first token", "Tempo até o primeiro token")
  fileprivate static let overhead = Phrase(
    "Time added by Catraca", "Tempo acrescentado pelo Catraca")
  fileprivate static let metadata = Phrase("Metadata", "Metadados")
  fileprivate static let heldBefore = Phrase("Held", "Reservado")
  fileprivate static let usedThen = Phrase("Used", "Usado")
  fileprivate static let aboveHold = Phrase("Above the hold", "Acima da reserva")
  static let cached = Phrase("Cached input tokens", "Tokens de entrada em cache")
  static let reasoning = Phrase("Reasoning tokens", "Tokens de raciocínio")
}
