import Testing

@testable import catraca

@Suite struct RenderingTests {
  private static let table: Table = {
    var table = Table(
      [
        Table.Column("name", "Name"), Table.Column("count", "Count"), Table.Column("hidden", nil),
        Table.Column(nil, "Note"),
      ], emptyText: "Nothing.")
    table.append([.text("a"), .integer(1_234_567), .boolean(true), .none])
    table.append([.text("long, \"name\""), .none, .list(["x", "y"]), .text("n")])
    return table
  }()

  @Test("Columns are aligned, numbers to the right, and lines have no space at their end")
  func alignsColumns() {
    #expect(
      TableText.render(Self.table, style: .plain) == """
        Name              Count  Note
        a             1,234,567  -
        long, "name"          -  n

        """)
  }

  @Test("An empty table says so")
  func saysEmpty() {
    #expect(TableText.render(Table([], emptyText: "Nothing."), style: .plain) == "Nothing.\n")
  }

  @Test("CSV has the names of programs, plain numbers, and quotes where they are needed")
  func rendersCSV() {
    #expect(
      CSVText.render(Self.table)
        == "name,count,hidden\r\na,1234567,true\r\n\"long, \"\"name\"\"\",,\"x,y\"\r\n")
  }

  @Test("JSON has the API's form of a list, with types")
  func rendersJSON() {
    let expected =
      #"{"data":[{"name":"a","count":1234567,"hidden":true},"#
      + #"{"name":"long, \"name\"","count":null,"hidden":["x","y"]}],"#
      + #""has_more":false,"next":null}"#
    #expect(Report.list(Self.table).text(in: .json, style: .plain) == expected + "\n")
  }

  @Test("A table is never wider than the terminal while a text can be cut")
  func fitsTheTerminal() {
    var table = Table([Table.Column("a", "A"), Table.Column("b", "B")], emptyText: "")
    table.append([.text(String(repeating: "x", count: 40)), .integer(123)])
    let style = OutputStyle(isTerminal: true, hasColor: false, width: 20)
    let lines = TableText.render(table, style: style).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 20 })
    #expect(lines.last == "\(String(repeating: "x", count: 14))…  123")
  }

  @Test("Headings are bold where there is colour, and only there")
  func boldensHeadings() {
    let style = OutputStyle(isTerminal: true, hasColor: true, width: nil)
    #expect(TableText.render(Self.table, style: style).hasPrefix("\u{1B}[1mName"))
    #expect(!TableText.render(Self.table, style: .plain).contains("\u{1B}"))
  }

  @Test(
    "What could steer a terminal is written out",
    arguments: ["\u{1B}[2J", "a\rb", "\u{9B}1m", "\u{202E}x", "a\nb"])
  func disarmsText(text: String) {
    let shown = Cell.text(text).shown
    #expect(shown.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
    #expect(Cell.text(text).plain == text)
  }

  @Test(
    "Values are shown for people and for programs",
    arguments: [
      (Cell.none, "-", ""), (.integer(-1_000), "-1,000", "-1000"), (.integer(999), "999", "999"),
      (.tenths(1005), "100.5", "100.5"), (.nanoUnits(1_500), "0.000001500", "1500"),
      (.boolean(false), "no", "false"), (.decimal("0.10"), "0.10", "0.10"),
    ])
  func showsValues(cell: Cell, shown: String, plain: String) {
    #expect(cell.shown == shown)
    #expect(cell.plain == plain)
  }
}
