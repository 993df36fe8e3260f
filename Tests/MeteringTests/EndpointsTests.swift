import Pricing
import Testing

@testable import Metering

@Suite("A path is metered, free or refused")
struct EndpointsTests {
  private func kind(_ method: String, _ path: String) -> String {
    switch Endpoints.classify(method: method, path: path) {
    case .metered(let endpoint): endpoint.operation.rawValue
    case .batch: "batch"
    case .models(let name): "models \(name ?? "all")"
    case .free: "free"
    case .refused: "refused"
    case .closed: "closed"
    }
  }

  @Test(
    "known paths",
    arguments: [
      ("POST", "/v1/chat/completions", "chat"), ("POST", "/v1/completions", "completion"),
      ("POST", "/v1/responses", "responses"), ("POST", "/v1/responses/compact", "responses"),
      ("POST", "/v1/decisions", "responses"),
      ("POST", "/v1/embeddings", "embedding"), ("POST", "/v1/moderations", "moderation"),
      ("GET", "/v1/models", "models all"), ("HEAD", "/v1/models", "models all"),
      ("GET", "/v1/models/gpt-5-mini", "models gpt-5-mini"),
      ("GET", "/v1/models/openai/gpt-oss-20b", "models openai/gpt-oss-20b"),
      ("GET", "/v1/models/ft:gpt-4o:acme::x1", "models ft:gpt-4o:acme::x1"),
      ("GET", "/v1/responses/resp_1", "free"), ("GET", "/v1/responses/resp_1/input_items", "free"),
      ("GET", "/v1/batches", "free"), ("GET", "/v1/files/f-1/content", "free"),
      ("POST", "/v1/responses/input_tokens", "free"),
      ("POST", "/v1/responses/resp_1/cancel", "free"),
      ("POST", "/v1/batches", "batch"), ("POST", "/v1/batches/batch_1/cancel", "free"),
      ("GET", "/v1/batches/batch_1", "free"), ("POST", "/v1/files", "free"),
      ("DELETE", "/v1/files/file-1", "free"), ("POST", "/v1/uploads/upload_1/parts", "free"),
      ("GET", "/v1/chat/completions", "free"),
      ("POST", "/v1/chat/completions/chatcmpl-1", "free"),
      ("DELETE", "/v1/responses/resp_1", "free"), ("POST", "/v1/conversations", "free"),
      ("DELETE", "/v1/conversations/conv_1/items/msg_1", "free"),
      ("GET", "/v1/skills/skill_1/versions/2/content", "free"),
      ("GET", "/v1/realtime", "realtime"),
    ])
  func known(_ method: String, _ path: String, _ expected: String) {
    #expect(kind(method, path) == expected)
  }

  @Test(
    "everything else is refused",
    arguments: [
      ("POST", "/v1/models"), ("DELETE", "/v1/models/ft:gpt-4o:acme::x1"),
      ("DELETE", "/v1/chat/completions"), ("POST", "/v1/files/f-1"), ("GET", "/v1/responses"),
      ("GET", "/v1/modelsx"), ("POST", "/v1/videos"), ("POST", "/v1/responses/cancel"),
      ("POST", "/v1/responses/a/b/cancel"), ("POST", "/v1/responses/resp_1"),
      // Ways around: what they hand out, or begin, is never seen here again.
      ("POST", "/v1/realtime/client_secrets"), ("POST", "/v1/realtime/sessions"),
      ("POST", "/v1/realtime/calls"), ("POST", "/v1/realtime/transcription_sessions"),
      ("POST", "/v1/live/sessions"), ("GET", "/v1/live/sessions"), ("POST", "/v1/agents/a/turns"),
      ("POST", "/v1/chatkit/sessions"), ("POST", "/v1/evals"), ("POST", "/v1/evals/e/runs"),
      ("POST", "/v1/fine_tuning/jobs"), ("POST", "/v1/fine_tuning/alpha/graders/run"),
      ("POST", "/v1/vector_stores"), ("POST", "/v1/vector_stores/v/search"),
      ("POST", "/v1/containers"), ("POST", "/v1/threads"), ("POST", "/v1/threads/t/runs"),
      ("POST", "/v1/assistants"), ("GET", "/v1/organization/usage/completions"),
    ])
  func refused(_ method: String, _ path: String) {
    #expect(kind(method, path) == "refused")
  }

  @Test(
    "what could be taken for an endpoint that costs money is closed",
    arguments: [
      ("POST", "/v1/realtime"), ("post", "/v1/chat/completions"), ("Post", "/v1/responses"),
      ("PUT", "/v1/chat/completions"), ("PATCH", "/v1/responses"),
      ("TRACE", "/v1/models"), ("trace", "/v1/videos"), ("PROPFIND", "/v1/files"),
      ("POST", "/v1/Chat/completions"), ("POST", "/v1/chat/Completions"),
      ("POST", "/v1/responses/Compact"), ("POST", "/v1/audio/SPEECH"), ("POST", "/v1/Batches"),
      ("POST", "/v1/Realtime/calls"), ("GET", "/v1/REALTIME"), ("GET", "/v1/realtimE"),
      ("GET", ""), ("GET", "/"), ("GET", "v1/models"), ("GET", "/v1/models/"),
      ("GET", "//v1/models"), ("GET", "/v1"), ("GET", "/v2/models"),
      ("GET", "/v1//models"), ("GET", "/v1/models/.."), ("GET", "/v1/models/../responses/x"),
      ("GET", "/v1/models/."), ("GET", "/v1/models/a%2fb"), ("GET", "/v1/models/%2e%2e/x"),
      ("GET", "/v1/models?x=1"), ("GET", "/v1/models#x"), ("GET", "/v1/models;x"),
      ("GET", "/v1\\models"), ("GET", "/v1/models/\u{0}"), ("GET", "/v1/models/é"),
      ("POST", "/v1/chat/completions/"), ("POST", "/V1/chat/completions"),
    ])
  func closed(_ method: String, _ path: String) {
    #expect(kind(method, path) == "closed")
  }
}
