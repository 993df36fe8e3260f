internal import Configuration
internal import Ledger
internal import Money
internal import Pages

/// A table of the margin: for each group, what clients were charged and what providers charge.
///
/// Only pages that check `Call.showsProviderCosts` may show it.
struct MarginTable {
  private let series: UsageSeries
  private let grouping: UsageGrouping
  private let pageRequest: PageRequest
  private let isPartial: Bool

  /// - Parameters:
  ///   - grouping: `client` or `model`.
  ///   - isPartial: Whether there may be more groups. If so, no total is shown.
  init(
    _ series: UsageSeries, by grouping: UsageGrouping, isPartial: Bool = false,
    _ pageRequest: PageRequest
  ) {
    self.series = series
    self.grouping = grouping
    self.isPartial = isPartial
    self.pageRequest = pageRequest
  }

  var html: HTML {
    let reader = pageRequest.reader
    let lines = series.lines.filter { $0.requests > 0 }
    var rows = lines.map { row($0, name($0)) }
    if !isPartial, lines.count > 1, let total = series.totals.first {
      rows.append(row(total, "\(reader(.total))"))
    }
    return TableView(
      reader(.margin),
      [
        .text(reader(.name(of: grouping))), .figure(reader(.requests)),
        .figure(reader(.chargedUSD)), .figure(reader(.providerCost)),
        .figure(reader(.margin)), .figure(reader(.marginShare)),
      ], rows, empty: reader(.nothingYet)
    ).html
  }

  private func name(_ line: UsageSeries.Line) -> HTML {
    guard let key = line.key else { return "\(pageRequest.reader(.without))" }
    guard grouping == .client, let client = pageRequest.call.clients.client(key) else {
      return "\(key)"
    }
    return #"<a href="\#(SitePath.client(key))">\#(client.name)</a>"#
  }

  private func row(_ line: UsageSeries.Line, _ name: HTML) -> HTML {
    let reader = pageRequest.reader
    let share = MarginTable.permille(line)
    let amounts = reader.money(
      inOneRow: [line.costNanoUSD, line.providerCostNanoUSD, line.marginNanoUSD].map {
        Money(nanoUnits: $0, currency: .usd)
      })
    let cells: [HTML] = amounts.map { #"<td class="figure">\#($0)</td>"# }
    return #"""
      <tr><th scope="row">\#(name)</th><td class="figure">\#(reader.number(line.requests))</td>\#
      \#(cells)\#
      <td class="figure">\#(share.map { reader.percentage(permille: $0) } ?? "–")</td></tr>
      """#
  }

  /// The margin in thousandths of what was charged, rounded toward zero; nil if nothing was
  /// charged.
  static func permille(_ line: UsageSeries.Line) -> Int? {
    guard line.costNanoUSD > 0 else { return nil }
    return Int(clamping: Int128(line.marginNanoUSD) * 1000 / Int128(line.costNanoUSD))
  }
}

extension Phrase {
  static let margin = Phrase("Margin", "Margem")
  static let providerCost = Phrase("Provider's cost", "Custo do provedor")
  static let chargedUSD = Phrase("Charged", "Cobrado")
  fileprivate static let marginShare = Phrase("Margin (% of charged)", "Margem (% do cobrado)")
  fileprivate static let total = Phrase("Total", "Total")
}
