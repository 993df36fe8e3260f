internal import Ledger
internal import Pages
internal import Pricing
internal import Time

/// The card with the prices that requests needed and the price book doesn't have.
struct MissingPriceList {
  private let prices: [NeededPrice]
  private let reader: Reader
  private let days: Int

  private static let mostPrices = 8
  private static let mostClients = 3

  init(since: Timestamp, days: Int, _ pageRequest: PageRequest) throws(APIError) {
    reader = pageRequest.reader
    self.days = days
    // Answers charged at another price come before refused requests, since apps can ask for any
    // model.
    let needed = try MissingPriceCalls.needed(since: since, pageRequest.call)
    prices =
      needed.filter { $0.requests > $0.refused } + needed.filter { $0.requests == $0.refused }
  }

  /// The card that stands in place of the list if the ledger can't be read.
  static func unreadable(_ reader: Reader) -> HTML {
    #"""
    <section class="card notice exceeded" role="alert"><h2>\#(reader(.missingPrices))</h2>\#
    <p>\#(reader(.missingPricesUnreadable))</p></section>
    """#
  }

  /// Nil if no price is missing.
  var html: HTML? {
    if prices.isEmpty { return nil }
    let shown = prices.prefix(MissingPriceList.mostPrices)
    let table = TableView(
      reader(.missingPrices),
      [
        .text(reader(.model)), .text(reader(.whatHasNoPrice)), .text(reader(.requests)),
        .text(reader(.lastSeen)), .text(reader(.clients)),
      ], shown.map(row), empty: "")
    let more =
      prices.count > shown.count
      ? " · " + reader(.furtherPrices(prices.count - shown.count)) : ""
    return #"""
      <section class="card notice attention"><h2>\#(reader(.missingPrices))</h2>\#
      <p>\#(reader(.missingPricesMeaning(days)))</p>\#(table.html)\#
      <p><a href="\#(SitePath.prices)">\#(reader(.prices))</a>\#(more)</p></section>
      """#
  }

  private func row(_ needed: NeededPrice) -> HTML {
    let price = needed.price
    return #"""
      <tr><th scope="row" class="id"><code>\#(price.model)</code><br>\#
      <span class="small soft">\#(price.provider)</span></th>\#
      <td>\#(reader(.part(price.dimension)))</td><td>\#(outcomes(of: needed))</td>\#
      <td class="moment">\#(reader.moment(needed.lastSeen, in: .utc)) UTC</td>\#
      <td>\#(clients(of: needed))</td></tr>
      """#
  }

  private func outcomes(of needed: NeededPrice) -> String {
    let outcomes: [(Int64, (String) -> Phrase)] = [
      (needed.refused, Phrase.refused), (needed.assumed, Phrase.assumed),
      (needed.free, Phrase.notCharged),
    ]
    return outcomes.filter { $0.0 > 0 }.map { reader($0.1(reader.number($0.0))) }
      .joined(separator: ", ")
  }

  private func clients(of needed: NeededPrice) -> String {
    let named = needed.clients.prefix(MissingPriceList.mostClients)
    let more = needed.clients.count > named.count ? ", …" : ""
    return named.isEmpty ? "–" : named.joined(separator: ", ") + more
  }
}

extension Phrase {
  fileprivate static let missingPrices = Phrase("Missing prices", "Preços em falta")
  fileprivate static func missingPricesMeaning(_ days: Int) -> Phrase {
    Phrase(
      "Requests of the last \(days) days needed these prices, which are not in the price book.",
      "Requisições dos últimos \(days) dias precisaram destes preços, que não estão na tabela.")
  }
  fileprivate static let missingPricesUnreadable = Phrase(
    "The missing prices can't be read right now. The server's log says why.",
    "Os preços em falta não podem ser lidos agora. O log do servidor diz por quê.")
  fileprivate static let whatHasNoPrice = Phrase("Usage without a price", "O que não tem preço")
  fileprivate static let lastSeen = Phrase("Last request", "Última requisição")
  fileprivate static func refused(_ count: String) -> Phrase {
    Phrase("refused: \(count)", "recusadas: \(count)")
  }
  fileprivate static func assumed(_ count: String) -> Phrase {
    Phrase("charged at another price: \(count)", "cobradas por outro preço: \(count)")
  }
  fileprivate static func notCharged(_ count: String) -> Phrase {
    Phrase("not charged: \(count)", "não cobradas: \(count)")
  }
  fileprivate static func furtherPrices(_ count: Int) -> Phrase {
    Phrase("\(count) more missing prices", "mais \(count) preços em falta")
  }
  fileprivate static func part(_ dimension: PriceDimension) -> Phrase {
    let name = dimension.name
    return switch dimension.kind {
    case .model: Phrase("the whole model", "o modelo todo")
    case .quantity:
      PricedQuantity.allCases.first { $0.priceKey == name }.map { .name(of: $0) }
        ?? Phrase(name: name)
    case .call: Phrase("calls of \(name)", "chamadas de \(name)")
    case .tier: .tier(name)
    case .window: .window(name)
    case .container: Phrase("container \(name)", "contêiner \(name)")
    }
  }
}
