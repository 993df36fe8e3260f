import HTTP
import Testing

@testable import Objects

@Suite("The objects that forms and queries name")
struct FieldReferenceTests {
  /// - Parameter parts: each with what follows `name=` in its head, and its content.
  private func named(inForm parts: [(String, String)]) throws -> [String] {
    let body = parts.reduce(into: "") { body, part in
      body += "--b\r\nContent-Disposition: form-data; name=\(part.0)\r\n\r\n\(part.1)\r\n"
    }
    let bytes = Array("\(body)--b--\r\n".utf8)
    let form = try MultipartForm(bytes, contentType: "multipart/form-data; boundary=b")
    return naming(try ObjectReferences.inForm(form, of: bytes))
  }

  @Test(
    "A part is a reference by its name, or by the form of its content",
    arguments: [
      (#""file_id""#, "odd", ["file odd @file_id"]),
      (#""file_ids[]""#, "odd", ["file odd @file_ids"]),
      (#""file_ids[0]""#, "odd", ["file odd @file_ids"]),
      (#""FILE_ID""#, "odd", ["file odd @FILE_ID"]),
      (#""file_id"; filename="x""#, "odd", ["file odd @file_id"]),
      (#""input_reference[file_id]""#, "odd", ["file odd @input_reference"]),
      (#""skills[0][skill_id]""#, "skill_1", ["skill skill_1 @skills"]),
      (#""video[id]""#, "odd", ["video odd @video"]),
      (#""video""#, #"{"id":"odd"}"#, ["video odd @video"]),
      (#""files""#, #" [{"file_id":"odd"}]"#, ["file odd @files"]),
      (#""image[]""#, "file-1", ["file file-1 @image"]),
      (#""model""#, "ft:x", ["fine_tuning_job ft:x @model"]),
      (#""later""#, "resp_1", ["response resp_1 @later"]),
      (#""prompt""#, "file-1", []), (#""prompt""#, #"{"id":"odd"}"#, []),
      (#""purpose""#, "batch_output", []), (#""user""#, "file-1", []),
      (#""metadata[file_id]""#, "file-1", []), (#""file_id""#, "", []),
      (#""image[]"; filename="a.png""#, "file-1", []),
      (#""file"; filename="a""#, #"{"file_id":"file-1"}"#, []),
    ])
  func parts(name: String, content: String, expected: [String]) throws {
    #expect(try named(inForm: [(name, content)]) == expected)
  }

  @Test("Each part of a name counts, and each object once")
  func repeatedParts() throws {
    #expect(
      try named(inForm: [
        (#""file_ids[]""#, "a"), (#""file_ids[]""#, "b"), (#""file_ids[]""#, "a"),
      ]) == ["file a @file_ids", "file b @file_ids"])
  }

  private static let files = ObjectEndpoint.List.of(.file)

  @Test(
    "The cursor of a list is a reference, and so is a value with a known form of id",
    arguments: [
      ("after=odd", files, ["file odd @after"]), ("before=odd", files, ["file odd @before"]),
      ("limit=2&after=file-1&order=asc", files, ["file file-1 @after"]),
      ("limit=2;after=odd", files, ["file odd @after"]),
      ("%61fter=fil%65-1", files, ["file file-1 @after"]),
      ("After=odd", files, ["file odd @After"]),
      ("after=a&after=b", files, ["file a @after", "file b @after"]),
      ("after=%zz", files, ["file %zz @after"]),
      ("after=", files, []), ("after", files, []),
      ("after=odd", nil, []), ("after=file-1", nil, ["file file-1 @after"]),
      ("after=msg_1", .within(.item), ["item msg_1 @after"]),
      ("after=2", .within(.skill, isRecorded: false), []),
      ("after=skill_1", .within(.skill, isRecorded: false), ["skill skill_1 @after"]),
      ("include=file-1", nil, ["file file-1 @include"]),
      ("include[]=file-1", nil, ["file file-1 @include"]),
      ("include=usage", nil, []),
      ("file-1", nil, ["file file-1 @file-1"]),
      ("x=fil%2565-1", nil, ["file file-1 @x"]), ("x=%20file-1%0A", nil, ["file file-1 @x"]),
      ("x=file-1%", nil, ["file file-1% @x"]),
      ("call_id=rtc_1", nil, ["conversation rtc_1 @call_id"]),
      ("model=ft:a:b", files, ["fine_tuning_job ft:a:b @model"]),
      ("file_ids[]=odd", nil, ["file odd @file_ids"]),
      ("later=vs_1", nil, ["vector_store vs_1 @later"]),
      ("metadata[file_id]=file-1&purpose=batch_output&include[]=x&limit=20", files, []),
    ] as [(String, ObjectEndpoint.List?, [String])])
  func queries(query: String, list: ObjectEndpoint.List?, expected: [String]) throws {
    #expect(naming(try ObjectReferences.inQuery(query, list: list)) == expected)
  }

  @Test("A request without a query names nothing in it")
  func noQuery() throws {
    #expect(try ObjectReferences.inQuery(nil, list: Self.files) == [])
  }

  @Test("More parameters than are looked up are refused")
  func limit() {
    let query = (0...TooManyReferences.limit).map { "after=\($0)" }.joined(separator: "&")
    #expect(throws: TooManyReferences()) {
      try ObjectReferences.inQuery(query, list: Self.files)
    }
  }
}
