import InMemory
import Testing

@testable import Console

/// The admin API through its router and its ledger, without a network.
@Suite("The admin API answers each call of a resource's life", .timeLimit(.minutes(1)))
struct AdminCallTests {
  @Test(
    "A resource is made, read, changed, removed, and refused where the contract says so",
    arguments: ResourceLife.all)
  func life(_ life: ResourceLife) async throws {
    try await ConsoleBench.run { bench in
      for step in life.steps {
        let answer = try await bench.call(step.call, step.body, as: step.caller)
        let what = Comment(rawValue: "\(step.call) \(step.body) by \(step.caller): \(answer.text)")
        #expect(answer.status == step.status, what)
        #expect(answer.isWhole, what)
        #expect(answer.error.code == step.code || step.code == nil, what)
        if let param = step.param { #expect(answer.error.param == param, what) }
        for text in step.shows { #expect(answer.text.contains(text), what) }
        for text in step.hides { #expect(!answer.text.contains(text), what) }
        if step.status == 204 { #expect(answer.body.isEmpty, what) }
      }
    }
  }

  @Test("A repeated POST is made once, and another one under the same key is refused")
  func idempotency() async throws {
    try await ConsoleBench.run { bench in
      let key = [("idempotency-key", "k1")]
      func make(_ body: String) async throws -> InMemoryAnswer {
        try await bench.call("POST /api/admin/credits", body, as: .admin, key)
      }
      let first = try await make("{\"client_id\":\"acme\",\"tokens\":5}")
      let second = try await make("{\"client_id\":\"acme\",\"tokens\":5}")
      #expect((first.status, second.status) == (201, 201))
      #expect(first.body == second.body)
      #expect(second.fields["idempotent-replayed"] == "true")
      #expect(try await make("{\"client_id\":\"acme\",\"tokens\":6}").status == 409)
      let list = try await bench.call("GET /api/admin/credits").text
      #expect(list.components(of: "crd_") == 1)
    }
  }

  @Test("A list in pages has each entry once")
  func pages() async throws {
    try await ConsoleBench.run { bench in
      for id in ["b1", "b2", "b3"] {
        _ = try await bench.call("POST /api/admin/clients", "{\"id\":\"\(id)\"}")
      }
      let first = try await bench.call("GET /api/admin/clients?limit=2").text
      #expect(first.contains("\"has_more\":true") && first.contains("\"next\":\"b1\""))
      let second = try await bench.call("GET /api/admin/clients?limit=2&after=b1").text
      #expect(second.contains("\"b2\"") && second.contains("\"b3\"") && !second.contains("\"b1\""))
      #expect(second.contains("\"has_more\":false") && second.contains("\"next\":null"))
    }
  }

  @Test("A body above 1 MiB is 413, and one without a credential isn't read")
  func largeBody() async throws {
    try await ConsoleBench.run { bench in
      let body = String(repeating: " ", count: 1 << 20 | 1)
      let answer = try await bench.call("POST /api/admin/clients", body)
      #expect((answer.status, answer.error.code) == (413, "request_too_large"))
      let stranger = try await bench.call("POST /api/admin/clients", "{", as: .stranger)
      #expect((stranger.status, stranger.error.code) == (401, "invalid_api_key"))
    }
  }
}

extension String {
  /// How often a text stands in it.
  fileprivate func components(of text: String) -> Int {
    indices.count { self[$0...].hasPrefix(text) }
  }
}
