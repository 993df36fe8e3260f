internal import Configuration
internal import Ledger
internal import Pages
internal import Time

/// Models that were asked for and that the price book doesn't have: refused, or let through.
struct UnpricedModels {
  private let passed: [UsageSeries.Line]
  private let refused: [UnpricedModel]
  private let reader: Reader
  private let days: Int

  private static let mostModels = 20

  init(_ report: UsageReport, _ visit: Visit) throws(APIError) {
    func isPriced(_ name: String) -> Bool {
      visit.call.server.model(name, of: nil, for: "") != nil
    }
    reader = visit.reader
    days = report.days
    passed = try report.series(by: .model).lines.filter { line in
      line.requests > 0 && line.key.map { !isPriced($0) } ?? false
    }
    let since = TimeZoneRules.utc.startOfDay(report.first)
    refused = try visit.call.read { reader throws(LedgerError) in
      try reader.unpricedModels(since: since, limit: UnpricedModels.mostModels)
    }
    // A model that has got its price is no news any more.
    .filter { $0.detail != nil || !isPriced($0.model) }
  }

  /// Nil where there are none.
  var html: HTML? {
    if passed.isEmpty, refused.isEmpty { return nil }
    return #"""
      <section class="card notice attention"><h2>\#(reader(.unpriced))</h2>\#
      <p>\#(reader(.unpricedMeaning(days)))</p><ul>\#(refused.map(entry))\#
      \#(passed.prefix(UnpricedModels.mostModels).map(entry))</ul></section>
      """#
  }

  private func entry(_ model: UnpricedModel) -> HTML {
    let detail = model.detail.map { " (\($0))" } ?? ""
    let moment = reader.moment(model.lastSeen, in: .utc)
    return #"""
      <li><code>\#(model.model)</code>\#(detail): \#
      \#(reader(.refusedRequests(reader.number(model.requests), moment, model.clientID)))</li>
      """#
  }

  private func entry(_ line: UsageSeries.Line) -> HTML {
    #"""
    <li><code>\#(line.key ?? "")</code>: \#
    \#(reader(.passedRequests(reader.number(line.requests))))</li>
    """#
  }
}

extension Phrase {
  fileprivate static let unpriced = Phrase("Models without a price", "Modelos sem preço")
  fileprivate static func unpricedMeaning(_ days: Int) -> Phrase {
    Phrase(
      "They were asked for in the last \(days) days, and the price book doesn't have them.",
      "Foram pedidos nos últimos \(days) dias, e a tabela de preços não os tem.")
  }
  fileprivate static func refusedRequests(
    _ count: String, _ moment: String, _ client: String?
  ) -> Phrase {
    let who = client.map { " (\($0))" } ?? ""
    return Phrase(
      "refused: \(count), last \(moment) UTC\(who)",
      "recusadas: \(count), a última em \(moment) UTC\(who)")
  }
  fileprivate static func passedRequests(_ count: String) -> Phrase {
    Phrase("let through: \(count)", "permitidas: \(count)")
  }
}
