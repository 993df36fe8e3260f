internal import JSON

/// The answer of `POST /embeddings`: the same vector of ones for each text.
///
/// Four bytes of a text are a token, and each token id is one.
enum EmbeddingList {
  private static let usualDimensions: Int64 = 6
  private static let mostDimensions: Int64 = 4096

  static func answer(
    to body: [UInt8], script: SandboxScript
  ) throws(ProviderError) -> BilledAnswer {
    let parser = JSONParser()
    let root = try ProviderError.root(of: body, parser)
    let model = try ProviderError.model(of: root)
    guard let input = root["input"] else { throw .missing("input") }
    let dimensions = root["dimensions"]?.integer ?? usualDimensions
    guard 1...mostDimensions ~= dimensions else {
      throw ProviderError(status: 400, message: "Invalid 'dimensions'.", param: "dimensions")
    }
    let isBase64 = root["encoding_format"]?.isString("base64") ?? false
    let sizes = PromptSizes(input)
    let usage = SandboxUsage(
      promptTokens: script.promptTokens ?? sizes.tokens.reduce(0, +), completionTokens: 0)
    var writer = JSONWriter()
    writer.object { list in
      list.member("object", "list")
      list.member("data") { data in
        data.array { array in
          for index in sizes.tokens.indices {
            array.object { embedding in
              embedding.member("object", "embedding")
              embedding.member("index", Int64(index))
              embedding.member("embedding") { vector in
                write(Int(dimensions), isBase64: isBase64, to: &vector)
              }
            }
          }
        }
      }
      list.member("model", script.responseModel ?? model)
      if !script.hidesUsage {
        list.member("usage") { counts in
          counts.object {
            $0.member("prompt_tokens", usage.promptTokens)
            $0.member("total_tokens", usage.totalTokens)
          }
        }
      }
    }
    return BilledAnswer(model: model, usage: usage, content: .whole(writer.bytes))
  }

  /// Writes the vector. In base 64, three ones of four bytes each make sixteen characters.
  private static func write(_ dimensions: Int, isBase64: Bool, to writer: inout JSONWriter) {
    guard isBase64 else {
      return writer.array { array in for _ in 0..<dimensions { array.integer(1) } }
    }
    let rest = ["", "AACAPw==", "AACAPwAAgD8="][dimensions % 3]
    writer.string(String(repeating: "AACAPwAAgD8AAIA/", count: dimensions / 3) + rest)
  }
}

/// The number of tokens of each of several texts: four bytes are one token, and each token id is
/// one.
struct PromptSizes {
  private(set) var tokens: [Int64] = []
  private(set) var textBytes = 0

  init(_ value: JSONValue?) {
    guard let value else { return }
    var elements = value.elements
    switch elements.next()?.kind {
    case .string, .array, .object: for text in value.elements { add(text) }
    default: add(value)
    }
  }

  private mutating func add(_ text: JSONValue) {
    let bytes = text.utf8Count ?? 0
    textBytes += bytes
    let ids = text.elements.reduce(0) { count, _ in count + 1 }
    tokens.append(Int64((bytes + 3) / 4 + ids))
  }
}

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

/// The answers of `GET /models` and `GET /models/ID`.
enum SandboxModelList {
  private static let created: Int64 = 1_686_935_002

  static func all(of dialect: SandboxProviderDialect) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { list in
      list.member("object", "list")
      list.member("data") { data in
        data.array { array in
          for model in dialect.models { write(model, dialect, to: &array) }
        }
      }
    }
    return writer.bytes
  }

  static func one(_ id: String, of dialect: SandboxProviderDialect) throws(ProviderError) -> [UInt8]
  {
    guard dialect.models.contains(id) else { throw .unknownModel(id) }
    var writer = JSONWriter()
    write(id, dialect, to: &writer)
    return writer.bytes
  }

  private static func write(
    _ model: String, _ dialect: SandboxProviderDialect, to writer: inout JSONWriter
  ) {
    writer.object {
      $0.member("id", model)
      $0.member("object", "model")
      $0.member("created", created)
      $0.member("owned_by", dialect.owner)
    }
  }
}
