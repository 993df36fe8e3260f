import JSON
import Testing

@testable import Metering

@Suite("Models that a request names beside its own")
struct NamedModelsTests {
  private func models(_ body: String) throws -> NamedModels {
    var models = NamedModels()
    try models.search(JSONParser().parse(Array(body.utf8)))
    return models
  }

  @Test(
    "are found wherever a server could read them",
    arguments: [
      #"{"models":["a","b"]}"#, #"{"fallbacks":["a","b"]}"#, #"{"models":{"x":"a","y":"b"}}"#,
      #"{"fallbacks":[{"x":["a"]},{"model":"b","messages":[{"content":"c"}]}]}"#,
      #"{"fallback_model":"a","reasoning":{"model":"b"}}"#,
      #"{"fallbackModels":["a"],"extra_body":{"Models":["b"]}}"#,
      #"{"plugins":[{"id":"auto-router","allowed_models":["a"]},{"id":"x","model":"b"}]}"#,
      #"{"data_source":{"model":"a"},"testing_criteria":[{"grader":{"model":"b"}}]}"#,
      #"{"session":{"model":"a","audio":{"input":{"transcription":{"model":"b"}}}}}"#,
      #"{"compound_custom":{"models":{"answering_model":"a","reasoning_model":"b"}}}"#,
    ])
  func places(_ body: String) throws {
    #expect(try models(body).names == ["a", "b"])
  }

  @Test(
    "aren't found in what is the app's own",
    arguments: [
      #"{"metadata":{"model":"T"}}"#, #"{"schema":{"properties":{"model":{"type":"string"}}}}"#,
      #"{"parameters":{"properties":{"models":{"type":"array"}},"required":["model"]}}"#,
      #"{"text":"model","models":null,"model":1,"route":"fallback"}"#, #"["model"]"#,
      #"{"input":[{"type":"image_generation_call","result":"x"}]}"#,
    ])
  func texts(_ body: String) throws {
    #expect(try models(body) == NamedModels())
  }

  @Test("are those of tools that draw, too, named or not")
  func drawings() throws {
    let body =
      #"{"tools":[{"type":"image_generation","model":"a"},{"type":"x:Image_Generation","#
      + #""parameters":{"model":"b"}},{"type":"image_generation"}]}"#
    #expect(try models(body).drawing == ["a", "b", OpenAI.imageModel])
    #expect(try models(body).names == ["a", "b", OpenAI.imageModel])
  }

  @Test(
    "are found in forms and queries",
    arguments: ["model", "models[]", "models[0]", "tools[0][model]", "extra.fallback_model"])
  func parameters(_ name: String) throws {
    var models = NamedModels()
    try models.search(text: "a", name: name)
    try models.search(text: #"["b"]"#, name: name)
    #expect(models.names == ["a", "b"])
    try models.search(text: "c", name: "metadata[model]")
    try models.search(text: "c", name: "prompt")
    #expect(models.names == ["a", "b"])
  }

  @Test(
    "A member that redirects the request is refused, at any depth and in any spelling",
    arguments: [
      #""preset":"cheap""#, #""api_base":"http://127.0.0.1""#, #""base_url":"http://127.0.0.1""#,
      #""API-Key":"k""#, #""custom_llm_provider":"other""#, #""extra_body":{"apiBase":"x"}"#,
      #""fallbacks":[{"model":"a","api_key":"k"}]"#, #""user_config":{}"#,
      #""models":[{"litellm_credential_name":"x"}]"#, #""azure_endpoint":"http://127.0.0.1""#,
      #""aws_bedrock_runtime_endpoint":"http://127.0.0.1""#, #""vertex_credentials":"{}""#,
      #""litellm_params":{}"#, #""model_list":[]"#, #""extra_headers":{"a":"b"}"#,
      #""extra_body":{"endpoint":"http://127.0.0.1"}"#, #""proxy":"http://127.0.0.1""#,
      #""organization":"org-1""#,
    ])
  func redirects(_ member: String) throws {
    #expect(throws: MeteringError.self) { try models("{\(member)}") }
    let body = #"{"model":"m","messages":[],\#(member)}"#
    #expect(throws: MeteringError.self) {
      try RequestFacts.read(
        Array(body.utf8), endpoint: Endpoints.chatCompletions, parser: JSONParser())
    }
    var named = NamedModels()
    #expect(throws: MeteringError.self) { try named.search(text: "x", name: "extra[api_base]") }
  }

  @Test(
    "A member that redirects nothing passes",
    arguments: [
      #"{"preset":null,"api_base":null}"#, #"{"metadata":{"api_key":"k","preset":"p"}}"#,
      #"{"provider":{"order":["a"]},"route":"fallback","api_version":"1"}"#,
    ])
  func passes(_ body: String) throws {
    #expect(try models(body) == NamedModels())
  }

  @Test(
    "are found in paths",
    arguments: [
      ("/v1/engines/a/completions", "a"), ("/v1/models/a:generate", "a"),
      ("/v1/deployments/ft%3Aa:b::c", "ft:a:b::c"), ("/v1/tomorrow/a", nil),
    ])
  func paths(_ path: String, _ name: String?) throws {
    var models = NamedModels()
    try models.search(path: path)
    #expect(models.names == [name].compactMap(\.self))
  }

  @Test("are those of a metered request, too, but for what its tools draw by")
  func metered() throws {
    let body =
      #"{"model":"m","input":"x","models":["a"],"reasoning":{"model":"b"},"tools":["#
      + #"{"type":"web_search","fallback":"c"},{"type":"image_generation","model":"d"},"#
      + #"{"type":"function","model":"e"}]}"#
    let facts = try RequestFacts.read(
      Array(body.utf8), endpoint: Endpoints.responses, parser: JSONParser())
    #expect(facts.otherModels.names == ["a", "b", "c"])
    #expect(facts.imageToolModel == "d")
  }
}
