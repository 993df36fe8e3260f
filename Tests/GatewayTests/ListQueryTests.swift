import JSON
import Testing

@testable import Gateway
@testable import Objects

@Suite("What a request asks of a list")
struct ListQueryTests {
  private func query(
    _ text: String?, _ kind: ObjectKind = .file
  ) throws(Refusal) -> ListQuery {
    try ListQuery(text, of: .of(kind))
  }

  @Test("Without parameters a list begins at its beginning, with the usual number of objects")
  func plain() throws {
    let query = try query(nil)
    #expect(query.limit == 20)
    #expect(query.start == .beginning)
    #expect(query.sentOrder == nil)
    #expect(query.text(from: .beginning, size: 100) == "limit=100")
  }

  @Test("The provider is asked with the client's filters, written anew")
  func forwarded() throws {
    let query = try query("purpose=a%3Bb;c&after=f1&limit=3&order=asc&metadata[x y]=1")
    #expect(query.limit == 3)
    #expect(query.start == .after("f1"))
    #expect(
      query.text(from: .after("f&2"), size: 100)
        == "limit=100&order=asc&after=f%262&purpose=a%3Bb%3Bc&metadata%5Bx%20y%5D=1")
  }

  @Test(
    "A limit that the provider would refuse is refused in its words",
    arguments: [
      ("0", "integer_below_min_value"), ("-3", "integer_below_min_value"),
      ("101", "integer_above_max_value"), ("ten", "invalid_type"), ("", "invalid_type"),
      ("+5", "invalid_type"), ("1.5", "invalid_type"), ("99999999999999999999", "invalid_type"),
    ])
  func limits(text: String, code: String) throws {
    let refusal = #expect(throws: Refusal.self) { try query("limit=\(text)") }
    let answer = RefusalAnswer(try #require(refusal))
    #expect(answer.status == 400)
    #expect(answer.code == code)
    #expect(answer.param == "limit")
  }

  @Test(
    "A query that could be read in two ways is refused",
    arguments: ["limit=1&limit=2", "after=a&%61fter=b", "purpose=%zz", "x=%ff"])
  func ambiguous(text: String) throws {
    let refusal = #expect(throws: Refusal.self) { try query(text) }
    #expect(RefusalAnswer(try #require(refusal)).code == "invalid_query")
  }

  @Test("Only lists that go backward know `before`")
  func before() throws {
    #expect(try query("before=vs_1", .vectorStore).start == .before("vs_1"))
    #expect(try query("before=f1").start == .beginning)
  }

  @Test(
    "Objects are narrowed as their lists allow it",
    arguments: [
      (ObjectKind.file, "purpose=batch", true), (.file, "purpose=vision", false),
      (.completion, "model=gpt-5", true), (.completion, "model=gpt", false),
      (.completion, "metadata[a]=1", true), (.completion, "metadata[a]=1&model=x", false),
      (.completion, "metadata[b]=1", false), (.container, "name=box", true),
      (.container, "name=bo", false), (.skill, "", true),
    ])
  func matching(kind: ObjectKind, text: String, expected: Bool) throws {
    let json =
      #"{"id":"x","purpose":"batch","model":"gpt-5","metadata":{"a":"1"},"name":"box"}"#
    let query = try query(text, kind)
    #expect(query.unknownFilter == nil)
    #expect(query.matches(try JSONParser().parse(Array(json.utf8))) == expected)
  }

  @Test("A parameter by which objects can't be narrowed is told")
  func unknown() throws {
    #expect(try query("purpose=a&shade=red").unknownFilter == "shade")
    #expect(try query("purpose=a", .skill).unknownFilter == "purpose")
  }
}
