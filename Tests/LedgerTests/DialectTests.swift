import Testing

@testable import Ledger

@Suite("SQL that is not spelled alike everywhere") struct DialectTests {
  private let folder = TemporaryFolder()

  /// The answer of this run's database to an expression.
  private func answer(_ expression: (Dialect) -> String) throws -> String? {
    let connection = try folder.connection()
    let select = try connection.prepare(
      "SELECT CAST(\(expression(connection.dialect)) AS TEXT) AS answer")
    return try select.rows { fields in fields.text("answer") }.first ?? nil
  }

  @Test(
    "The day of UTC that a second lies in",
    arguments: [
      (0, "1970-01-01"), (86_399, "1970-01-01"), (86_400, "1970-01-02"),
      (1_795_305_599, "2026-11-21"), (1_795_305_600, "2026-11-22"),
    ])
  func day(seconds: Int, day: String) throws {
    #expect(try answer { $0.day(ofUnixSeconds: "\(seconds)") } == day)
  }

  @Test(
    "The Monday of a day's week",
    arguments: [
      ("2026-11-22", "2026-11-16"), ("2026-11-23", "2026-11-23"), ("2026-11-24", "2026-11-23"),
      ("2026-03-01", "2026-02-23"), ("2027-01-01", "2026-12-28"),
    ])
  func monday(day: String, monday: String) throws {
    #expect(try answer { $0.monday(ofWeekOf: "'\(day)'") } == monday)
  }

  @Test(
    "The seconds to an instant, without its fraction",
    arguments: [
      ("2026-11-22T00:00:00.000Z", "1795305600"), ("2026-11-22T00:00:00.999Z", "1795305600"),
      ("2026-11-21T23:59:59.999Z", "1795305599"),
    ])
  func unixSeconds(instant: String, seconds: String) throws {
    #expect(try answer { $0.unixSeconds(ofInstant: "'\(instant)'") } == seconds)
  }

  @Test(
    "A total stops at the largest and the smallest integer, and is exact until then",
    arguments: [
      ([Int64](), nil), ([0], 0), ([-5, 3], -2), ([1, 2, 4_294_967_296], 4_294_967_299),
      ([4_611_686_018_427_387_904, 4_611_686_018_427_387_903], Int64.max),
      ([.max, 1], Int64.max), ([.max, .max, .max], Int64.max), ([.max, -1], Int64.max - 1),
      ([.min, -1], Int64.min), ([.min, .min], Int64.min), ([.min], Int64.min),
    ] as [([Int64], Int64?)])
  func total(values: [Int64], sum: Int64?) throws {
    let connection = try folder.connection()
    try connection.execute("CREATE TABLE figures (id BIGINT, figure BIGINT)")
    let insert = try connection.prepare("INSERT INTO figures VALUES (?, ?)")
    for (place, value) in values.enumerated() {
      insert.bind(Int64(place), at: 1)
      insert.bind(value, at: 2)
      try insert.run()
    }
    let total = connection.dialect.total("figure")
    #expect(try connection.prepare("SELECT \(total) FROM figures").firstInteger() == sum)
    let running = connection.dialect.total("figure", over: "counted")
    let last = try connection.prepare(
      """
      SELECT \(running) AS running FROM figures WINDOW counted AS (ORDER BY id)
      ORDER BY id DESC LIMIT 1
      """)
    #expect(try last.firstInteger() == sum)
  }

  @Test("A row takes the place of the one with its key, and of no other")
  func upsert() throws {
    let connection = try folder.connection()
    try connection.execute(
      "CREATE TABLE marks (owner TEXT, name TEXT, mark BIGINT, note TEXT, UNIQUE (owner, name))")
    let replace = try connection.prepare(
      Upsert(
        into: "marks", key: ["owner", "name"], columns: ["owner", "name", "mark", "note"]
      ).sql)
    let rows: [(String, String, Int64, String?)] = [
      ("a", "x", 1, "first"), ("a", "y", 2, nil), ("b", "x", 3, nil), ("a", "x", 4, nil),
    ]
    for row in rows {
      replace.bind(row.0, at: 1)
      replace.bind(row.1, at: 2)
      replace.bind(row.2, at: 3)
      replace.bind(row.3, at: 4)
      try replace.run()
    }
    let select = try connection.prepare("SELECT * FROM marks ORDER BY owner, name")
    let found = try select.rows { fields in
      "\(fields.text("owner") ?? "")\(fields.text("name") ?? "") \(fields.integer("mark") ?? 0)"
        + " \(fields.text("note") ?? "-")"
    }
    #expect(found == ["ax 4 -", "ay 2 -", "bx 3 -"])
  }
}
