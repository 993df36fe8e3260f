internal import Ledger
internal import Money
internal import Pages
internal import Time

/// Tokens and cost over time, as two charts.
struct UsageCharts {
  private let lines: [UsageSeries.Line]
  private let grouping: UsageGrouping
  private let reader: Reader
  private let currency: Currency

  init(_ series: UsageSeries, by grouping: UsageGrouping, in currency: Currency, for reader: Reader)
  {
    lines = series.lines
    self.grouping = grouping
    self.currency = currency
    self.reader = reader
  }

  var html: HTML {
    #"""
    <div class="columns"><div class="card">\#(cost.html)</div>\#
    <div class="card">\#(tokens.html)</div></div>
    """#
  }

  private var cost: BarChart {
    let (reader, currency) = (reader, currency)
    return chart(.cost, \.cost.nanoUnits) {
      reader.money(Money(nanoUnits: $0, currency: currency))
    } axis: {
      reader.money(Money(nanoUnits: $0, currency: currency))
    }
  }

  private var tokens: BarChart {
    let reader = reader
    return chart(.tokens, \.totalTokens) {
      reader.number($0)
    } axis: {
      reader.shortNumber($0)
    }
  }

  private func chart(
    _ name: Phrase, _ value: (UsageSeries.Line) -> Int64,
    figure: @escaping @Sendable (Int64) -> String, axis: @escaping @Sendable (Int64) -> String
  ) -> BarChart {
    let bars = lines.map { line -> BarChart.Bar in
      let date = line.key.flatMap { CivilDate($0) }
      return BarChart.Bar(
        value: max(0, value(line)), label: date.map(reader.shortDate) ?? line.key ?? "",
        name: date.map { reader.date($0) } ?? line.key ?? "")
    }
    return BarChart(
      reader(name), bars,
      columns: (reader(grouping == .week ? .week : .day), reader(name)),
      tableTitle: reader(.asTable), figure: figure, axisFigure: axis)
  }
}
