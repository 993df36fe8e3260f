import Testing

@testable import Gateway

@Suite("Entries of unmetered_endpoints")
struct RulesSnapshotTests {
  @Test(
    "An entry opens what it names, and a way around Catraca only if it begins with that",
    arguments: [
      ("/v1/evals", "/v1/evals", true), ("/v1/evals", "/v1/evals/e1", false),
      ("/v1/evals*", "/v1/evals/e1", true), ("/v1/*", "/v1/vector_stores", true),
      ("/v1/vector_stores*", "/v1/Vector_stores", false),
      ("/v1/*", "/v1/realtime/client_secrets", false), ("/v1/*", "/v1/realtime/Calls", false),
      ("/v1/*", "/v1/realtime/callS/rtc_1/accept", false),
      ("/v1/*", "/v1/realtime/translations/client_secrets", false),
      ("/v1/*", "/v1/live", false), ("/v1/*", "/v1/live/sessions", false),
      ("/v1/*", "/v1/agents", false), ("/v1/*", "/v1/agents/a/sessions", false),
      ("/v1/*", "/v1/chatkit/sessions", false),
      ("/v1/*", "/v1/organization/admin_api_keys", false),
      ("/v1/realtime/*", "/v1/realtime/calls", false),
      ("/v1/realtime/calls", "/v1/realtime/calls", true),
      ("/v1/realtime/calls*", "/v1/realtime/calls/rtc_1", true),
      ("/v1/agents/*", "/v1/agents/a", true), ("/v1/live/*", "/v1/live/sessions", true),
    ])
  func opens(entry: String, path: String, isOpen: Bool) {
    #expect(RulesSnapshot.allows(path, by: [entry]) == isOpen)
  }
}
