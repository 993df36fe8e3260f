import Testing

@testable import Objects

@Suite("The table of endpoints that keep objects")
struct ObjectEndpointTests {
  @Test(
    "A request is found with the objects in its path",
    arguments: [
      ("GET", "/v1/files/file-1/content", "/v1/files/{file}/content", ["file-1"]),
      ("POST", "/v1/responses/compact", "/v1/responses/compact", []),
      (
        "GET", "/v1/conversations/conv_1/items/msg_1",
        "/v1/conversations/{conversation}/items/{item}", ["conv_1", "msg_1"]
      ),
      (
        "GET", "/v1/skills/skill_1/versions/2", "/v1/skills/{skill}/versions/*", ["skill_1"]
      ),
      (
        "GET", "/v1/skills/skill_1/versions/skill_2", "/v1/skills/{skill}/versions/*",
        ["skill_1", "skill_2"]
      ),
    ])
  func matches(method: String, path: String, pattern: String, ids: [String]) {
    let match = ObjectEndpoints.match(method: method, path: path)
    #expect(match?.endpoint.pattern == pattern)
    #expect(match?.references.map(\.id) == ids)
  }

  @Test("Each segment in braces is a kind")
  func kinds() {
    for endpoint in ObjectEndpoints.all {
      for part in endpoint.pattern.split(separator: "/") where part.hasPrefix("{") {
        #expect(ObjectKind(rawValue: String(part.dropFirst().dropLast())) != nil)
      }
    }
  }

  @Test("No endpoint is listed twice")
  func repetitions() {
    let names = ObjectEndpoints.all.map { "\($0.method) \($0.pattern)" }
    #expect(Set(names).count == names.count)
  }
}
