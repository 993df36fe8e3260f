import Testing

@testable import Pages

@Suite struct ChartTests {
  private func chart(_ values: [Int64]) -> BarChart {
    let bars = values.enumerated().map { index, value in
      BarChart.Bar(value: value, label: "l\(index)", name: "n\(index)")
    }
    return BarChart(
      "Cost", bars, columns: ("Day", "Cost"), tableTitle: "As a table", figure: { "\($0)" },
      axisFigure: { "\($0)" })
  }

  /// The numbers of an attribute of all bars.
  private func numbers(_ name: String, in html: HTML) throws -> [Int] {
    let pattern = try Regex(#"<rect [^>]*\#(name)="(\d+)""#, as: (Substring, Substring).self)
    return html.text.matches(of: pattern).compactMap { Int($0.output.1) }
  }

  @Test("Every value has a bar within the picture and a row of the table", arguments: [1, 2, 90])
  func sizes(count: Int) throws {
    let html = chart((0..<count).map { Int64($0 * $0) }).html
    let (lefts, widths) = (try numbers("x", in: html), try numbers("width", in: html))
    #expect(lefts.count == count && widths.allSatisfy { $0 >= 1 })
    #expect(zip(lefts, widths).allSatisfy { $0 >= 0 && $0 + $1 <= 1000 })
    #expect(zip(zip(lefts, widths), lefts.dropFirst()).allSatisfy { $0.0 + $0.1 <= $1 })
    #expect(html.text.split(separator: "<tr><th scope=\"row\">").count == count + 1)
    #expect(html.text.split(separator: "<span>l").count - 1 == min(5, count))
  }

  @Test("The highest bar fits, and what isn't nothing is seen")
  func heights() throws {
    let heights = try numbers("height", in: chart([0, 1, 1_000_000, .max]).html)
    #expect(heights[0] == 0 && heights[1] >= 1 && heights.allSatisfy { $0 <= 200 })
  }

  @Test("Nothing at all is drawn without a trap")
  func empty() {
    #expect(chart([]).html.text.contains("<svg"))
  }

  @Test(
    "The upper edge is round and not below the highest value",
    arguments: [(0, 2), (1, 2), (3, 4), (7, 8), (10, 10), (11, 20), (288, 400)]
      as [(Int64, Int64)])
  func top(value: Int64, expected: Int64) {
    #expect(BarChart.roundedUp(value) == expected)
    #expect(BarChart.roundedUp(.max) == .max)
  }

  @Test("What is used and held is drawn within the limit, and told in words")
  func limitBars() throws {
    let full = LimitBar(used: 1500, held: 300, level: .exceeded, label: "150 % used").html
    #expect(try numbers("width", in: full) == [1000, 1000, 0])
    let part = LimitBar(used: 700, held: 500, level: .ok, label: "70 % \"used\"").html
    #expect(try numbers("width", in: part) == [1000, 700, 300])
    #expect(part.text.contains("aria-label=\"70 % &quot;used&quot;\""))
  }
}
