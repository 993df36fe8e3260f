/// A bar chart over time, with the same figures as a table for people who can't see the bars.
///
/// The picture of the bars stretches with the page. The text is outside the picture, so letters
/// keep their size on any screen.
public struct BarChart: Sendable {
  public struct Bar: Sendable, Hashable {
    /// In any unit; never negative.
    public let value: Int64
    /// The label below the bar, such as `22 Nov`.
    public let label: String
    /// The name in the table, such as `22 Nov 2026`.
    public let name: String

    public init(value: Int64, label: String, name: String) {
      self.value = value
      self.label = label
      self.name = name
    }
  }

  private let title: String
  private let bars: [Bar]
  private let figure: @Sendable (Int64) -> String
  private let axisFigure: @Sendable (Int64) -> String
  private let columns: (name: String, value: String)
  private let tableTitle: String

  /// - Parameters:
  ///   - title: The title of the chart.
  ///   - bars: The bars, oldest first.
  ///   - columns: The titles of the table's columns.
  ///   - tableTitle: The text that opens the table.
  ///   - figure: Formats a value in full.
  ///   - axisFigure: Formats a value for a narrow place.
  public init(
    _ title: String, _ bars: [Bar], columns: (name: String, value: String), tableTitle: String,
    figure: @escaping @Sendable (Int64) -> String,
    axisFigure: @escaping @Sendable (Int64) -> String
  ) {
    self.title = title
    self.bars = bars
    self.columns = columns
    self.tableTitle = tableTitle
    self.figure = figure
    self.axisFigure = axisFigure
  }

  public var html: HTML {
    #"""
    <figure class="chart"><figcaption>\#(title)</figcaption>
    <div class="plot" aria-hidden="true"><div class="axis"><span>\#(axisFigure(top))</span>\#
    <span>\#(axisFigure(top / 2))</span><span>\#(axisFigure(0))</span></div>\#(picture)</div>
    <div class="labels" aria-hidden="true">\#(labels)</div>\#(table)</figure>
    """#
  }

  // MARK: The picture

  private static let width = 1000
  private static let height = 200
  /// The widest bar, so that a single day doesn't fill the chart.
  private static let widestBar = 80

  /// The value at the upper edge: a round number whose half is round too.
  var top: Int64 { BarChart.roundedUp(bars.map(\.value).max() ?? 0) }

  static func roundedUp(_ value: Int64) -> Int64 {
    var power: Int64 = 1
    while power <= Int64.max / 100, power * 10 < value { power *= 10 }
    for factor in [Int64(2), 4, 6, 8, 10] where factor * power >= value { return factor * power }
    return value
  }

  private var picture: HTML {
    let slot = Double(BarChart.width) / Double(max(1, bars.count))
    let barWidth = min(Double(BarChart.widestBar), slot * 0.72)
    let rectangles = bars.enumerated().map { index, bar -> HTML in
      let share = Double(bar.value) / Double(max(1, top))
      // A value above zero is always visible.
      let height = bar.value == 0 ? 0 : max(2, Int(share * Double(BarChart.height)))
      let left = Int(slot * (Double(index) + 0.5) - barWidth / 2)
      return #"""
        <rect x="\#(left)" y="\#(BarChart.height - height)" width="\#(max(1, Int(barWidth)))" \#
        height="\#(height)"><title>\#(bar.name): \#(figure(bar.value))</title></rect>
        """#
    }
    return #"""
      <svg viewBox="0 0 1000 200" preserveAspectRatio="none"><path class="grid" \#
      d="M0 0.5H1000M0 100H1000M0 199.5H1000"/>\#(rectangles)</svg>
      """#
  }

  private static let mostLabels = 5

  /// The labels of the first bar, the last bar and some between, evenly spaced.
  private var labels: [HTML] {
    let count = min(BarChart.mostLabels, bars.count)
    return (0..<count).map { number in
      let index = count == 1 ? 0 : number * (bars.count - 1) / (count - 1)
      return "<span>\(bars[index].label)</span>"
    }
  }

  // MARK: The table

  private var table: HTML {
    let rows = bars.map { bar -> HTML in
      #"<tr><th scope="row">\#(bar.name)</th><td class="figure">\#(figure(bar.value))</td></tr>"#
    }
    return #"""
      <details><summary>\#(tableTitle)</summary><table><caption class="unseen">\#(title)</caption>\#
      <thead><tr><th scope="col">\#(columns.name)</th>\#
      <th scope="col" class="figure">\#(columns.value)</th></tr></thead>\#
      <tbody>\#(rows)</tbody></table></details>
      """#
  }
}
