import Testing

@testable import Ledger

@Suite("The parameters of a statement, written in one go") struct ParameterWriterTests {
  private let folder = TemporaryFolder()

  @Test("Each run of a statement writes its own texts, of any length and number")
  func texts() throws {
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE texts (a TEXT, b TEXT, c TEXT, d BIGINT)")
    let insert = try connection.prepare("INSERT INTO texts VALUES (?, ?, ?, ?)")
    let longText = String(repeating: "long ", count: 2_000)
    let rows: [[String?]] = [
      ["plain", "", nil],
      ["longer than fifteen bytes", "árvore 🌳", "plain"],
      [String(repeating: "x", count: 4_095), "y", "without room"],
      [longText, nil, "after it"],
      ["", String(repeating: "z", count: 4_096), ""],
      [nil, nil, nil],
    ]
    for (place, row) in rows.enumerated() {
      var parameters = ParameterWriter(insert)
      for text in row { parameters.write("text", text) }
      parameters.write("d", Int64(place))
      try insert.run()
    }
    let select = try connection.prepare("SELECT a, b, c FROM texts ORDER BY d")
    let written = try select.rows { fields in ["a", "b", "c"].map { fields.text($0) } }
    #expect(written == rows)
  }

  @Test("A text outlives what it was written from")
  func ownCopy() throws {
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE texts (a TEXT, b TEXT)")
    let insert = try connection.prepare("INSERT INTO texts VALUES (?, ?)")
    func write() {
      var parameters = ParameterWriter(insert)
      for number in 1...2 {
        let text = String(repeating: "\(number)", count: 100)
        parameters.write("text", text)
      }
    }
    write()
    // Strings that take the place in memory of those that have gone.
    let others = (1...100).map { String(repeating: "other \($0)", count: 12) }
    try insert.run()
    let select = try connection.prepare("SELECT a || b AS both FROM texts")
    let written = try select.rows { fields in fields.text("both") }
    #expect(written == [String(repeating: "1", count: 100) + String(repeating: "2", count: 100)])
    #expect(others.count == 100)
  }
}
