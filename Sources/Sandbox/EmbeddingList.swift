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
    let vector = vector(Int(dimensions), isBase64: isBase64)
    let embeddings = sizes.tokens.indices.map { index -> JSONText in
      #"{"object":"embedding","index":\#(index),"embedding":\#(vector)}"#
    }
    let counts: JSONText = """
      {"prompt_tokens":\(usage.promptTokens),"total_tokens":\(usage.totalTokens)}
      """
    return BilledAnswer(
      model: model, usage: usage,
      content: .whole(
        """
        {"object":"list","data":\(embeddings),"model":\(script.responseModel ?? model)
        \(member: "usage", script.hidesUsage ? nil : counts)}
        """))
  }

  /// A vector of ones. In base 64, three ones of four bytes each make sixteen characters.
  private static func vector(_ dimensions: Int, isBase64: Bool) -> JSONText {
    guard isBase64 else { return "\(Array(repeating: "1" as JSONText, count: dimensions))" }
    let rest = ["", "AACAPw==", "AACAPwAAgD8="][dimensions % 3]
    return "\(String(repeating: "AACAPwAAgD8AAIA/", count: dimensions / 3) + rest)"
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
    let results = PromptSizes(input).tokens.map { _ -> JSONText in
      """
      {"flagged":false,"categories":{"harassment":false},
      "category_scores":{"harassment":0.0001}}
      """
    }
    return BilledAnswer(
      model: model, usage: SandboxUsage(promptTokens: 0, completionTokens: 0),
      content: .whole(
        """
        {"id":"modr-sandbox-\(identity.number)","model":\(model),"results":\(results)}
        """))
  }
}

/// The answers of `GET /models` and `GET /models/ID`.
enum SandboxModelList {
  static func all(of dialect: SandboxProviderDialect) -> JSONText {
    #"{"object":"list","data":\#(dialect.models.map { model($0, dialect) })}"#
  }

  static func one(_ id: String, of dialect: SandboxProviderDialect) throws(ProviderError)
    -> JSONText
  {
    guard dialect.models.contains(id) else { throw .unknownModel(id) }
    return model(id, dialect)
  }

  private static func model(_ id: String, _ dialect: SandboxProviderDialect) -> JSONText {
    #"{"id":\#(id),"object":"model","created":1686935002,"owned_by":\#(dialect.owner)}"#
  }
}
