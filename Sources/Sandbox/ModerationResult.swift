internal import JSON

/// The answer of `POST /moderations`. No text is ever flagged, and the call is free.
enum ModerationResult {
  static func answer(
    to body: [UInt8], identity: SandboxChatAnswer.Identity
  ) throws(ProviderError) -> BilledAnswer {
    let parser = JSONParser()
    let root = try ProviderError.root(of: body, parser)
    let model = root["model"]?.string ?? "omni-moderation-latest"
    guard let input = root["input"] else { throw .missing("input") }
    var writer = JSONWriter()
    writer.object { answer in
      answer.member("id", "modr-sandbox-\(identity.number)")
      answer.member("model", model)
      answer.member("results") { results in
        results.array { array in
          for _ in PromptSizes(input).tokens {
            array.object { result in
              result.member("flagged", false)
              result.member("categories") { $0.object { $0.member("harassment", false) } }
              result.member("category_scores") { scores in
                scores.object { $0.member("harassment") { $0.raw("0.0001".utf8) } }
              }
            }
          }
        }
      }
    }
    return BilledAnswer(
      model: model, usage: SandboxUsage(promptTokens: 0, completionTokens: 0),
      content: .whole(writer.bytes))
  }
}
