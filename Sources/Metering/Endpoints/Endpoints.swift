internal import HTTP
internal import Objects
import Pricing

/// Catraca's treatment of a request, by its method and path.
public enum EndpointClass: Sendable {
  /// The request costs money, and metering knows its format.
  case metered(Endpoint)
  /// A request for a batch. Each request in its file is metered.
  case batch
  /// A request for the list of models, or for the model named after `/v1/models/`. Catraca answers
  /// it itself.
  case models(named: String?)
  /// The request costs nothing. It passes unmetered if it names only objects of its client.
  case free
  /// The request is unknown, or is known to cost money that can't be metered. The operator can open
  /// it.
  case refused
  /// Another server could take the path or method for an endpoint that costs money. No setting
  /// opens it.
  case closed
}

/// The table of endpoints. To meter another endpoint, add its entry to `metered`.
public enum Endpoints {
  static let metered: [Endpoint] =
    [chatCompletions, completions, responses, compaction, decisions, embeddings, moderations]
    + audio + images + [realtime]

  public static let chatCompletions = Endpoint(
    method: "POST", path: "/v1/chat/completions", operation: .chat,
    request: .json([
      "model": .model,
      "messages": .messages,
      "tools": .tools, "functions": .tools,
      "prediction": .prediction,
      "stream": .stream,
      "stream_options": .streamOptions,
      "max_completion_tokens": .outputLimit,
      "max_tokens": .outputLimit,
      "n": .choices,
      "service_tier": .serviceTier,
      "user": .user(precedence: 0), "safety_identifier": .user(precedence: 1),
      "metadata": .metadata,
      "modalities": .modalities,
      "reasoning_effort": .reasoningEffort,
      "web_search_options": .webSearch, "compound_custom": .compound,
      "audio": .inert, "frequency_penalty": .inert, "include_reasoning": .inert,
      "logit_bias": .inert, "logprobs": .inert, "moderation": .inert,
      "parallel_tool_calls": .inert, "presence_penalty": .inert,
      "prompt_cache_key": .cacheName, "prompt_cache_options": .inert,
      "prompt_cache_retention": .inert, "reasoning_format": .inert, "seed": .inert,
      "stop": .inert, "store": .store, "temperature": .inert, "top_logprobs": .inert,
      "top_p": .inert, "verbosity": .inert,
    ]),
    output: .limited(member: "max_completion_tokens"),
    usageRequest: .streamOptions,
    answer: ChatAnswer.self)

  static let completions = Endpoint(
    method: "POST", path: "/v1/completions", operation: .completion,
    request: .json([
      "model": .model,
      "prompt": .texts,
      "stream": .stream,
      "stream_options": .streamOptions,
      "max_tokens": .outputLimit,
      "n": .choices,
      "best_of": .candidates,
      "user": .user(precedence: 0),
      "echo": .inert, "frequency_penalty": .inert, "logit_bias": .inert, "logprobs": .inert,
      "presence_penalty": .inert, "seed": .inert, "stop": .inert, "temperature": .inert,
      "top_p": .inert,
    ]),
    output: .limitedByDefault(to: 16),
    usageRequest: .streamOptions,
    answer: CompletionAnswer.self)

  public static let responses = Endpoint(
    method: "POST", path: "/v1/responses", operation: .responses,
    request: .json([
      "model": .model,
      "input": .items,
      "tools": .tools,
      "max_tool_calls": .callLimit,
      "previous_response_id": .reference, "conversation": .reference, "prompt": .reference,
      "background": .background,
      "stream": .stream,
      "max_output_tokens": .outputLimit,
      "service_tier": .serviceTier,
      "user": .user(precedence: 0), "safety_identifier": .user(precedence: 1),
      "metadata": .metadata,
      "background_options": .backgroundOptions, "include": .inert, "moderation": .inert,
      "parallel_tool_calls": .inert, "prompt_cache_key": .cacheName, "prompt_cache_options": .inert,
      "prompt_cache_retention": .inert, "reasoning": .reasoning, "store": .store,
      "multi_agent": .agents, "context_management": .contextManagement,
      "stream_options": .inert, "temperature": .inert, "top_logprobs": .inert, "top_p": .inert,
      "truncation": .inert,
    ]),
    output: .limited(member: "max_output_tokens"),
    keepsAnswers: true,
    answer: ResponsesAnswer.self)

  /// A model makes a conversation shorter.
  static let compaction = Endpoint(
    method: "POST", path: "/v1/responses/compact", operation: .responses,
    request: .json([
      "model": .model,
      "input": .items,
      "previous_response_id": .reference,
      "service_tier": .serviceTier,
      "prompt_cache_key": .cacheName, "prompt_cache_retention": .inert,
    ]),
    output: .byModel,
    keepsAnswers: true,
    answer: ResponsesAnswer.self)

  /// Answers up to 400 questions about an input, each in about one token.
  static let decisions = Endpoint(
    method: "POST", path: "/v1/decisions", operation: .responses,
    request: .json([
      "model": .model,
      "input": .items,
      "safety_identifier": .user(precedence: 0),
      "prompt_cache_key": .cacheName, "prompt_cache_options": .inert,
    ]),
    output: .limitedByDefault(to: 4096),
    tier: "decisions",
    answer: DecisionAnswer.self)

  static let embeddings = Endpoint(
    method: "POST", path: "/v1/embeddings", operation: .embedding,
    request: .json([
      "model": .model,
      "input": .texts,
      "user": .user(precedence: 0),
      "dimensions": .inert, "encoding_format": .inert,
    ]),
    output: .none,
    answer: EmbeddingAnswer.self)

  static let moderations = Endpoint(
    method: "POST", path: "/v1/moderations", operation: .moderation,
    request: .json(["model": .model, "input": .inert]),
    output: .none,
    defaultModel: "omni-moderation-latest",
    answer: ModerationAnswer.self)

  /// Counts the input of a response without making the response, which is free.
  public static let inputTokens = "/v1/responses/input_tokens"

  /// A request for a batch, apart from the requests in its file.
  public static let batches = Endpoint(
    method: "POST", path: "/v1/batches", operation: .batch, request: .json([:]), output: .none,
    answer: BatchAnswer.self)

  private static let models = "/v1/models"

  /// The endpoints to which a batch's requests may go.
  static let batchable = [chatCompletions, responses, completions, embeddings, moderations]

  /// Returns a request's class.
  ///
  /// - Parameters:
  ///   - method: The request's method; methods are case-sensitive.
  ///   - path: The path without a provider's prefix and without the query, for example
  ///     `/v1/models`. A path that isn't plain is closed.
  public static func classify(method: String, path: String) -> EndpointClass {
    if let endpoint = metered.first(where: { $0.path == path && $0.method == method }) {
      return .metered(endpoint)
    }
    if method == "POST", path == batches.path { return .batch }
    guard !isDisguised(method: method, path: path) else { return .closed }
    if method == "GET" || method == "HEAD", path == models || path.hasPrefix("\(models)/") {
      let name = path.dropFirst("\(models)/".count)
      return .models(named: name.isEmpty ? nil : String(name))
    }
    let match = ObjectEndpoints.match(method: method, path: path)
    return match?.endpoint.access == .free ? .free : .refused
  }

  /// Whether another server could take the request for one of an endpoint that costs money.
  ///
  /// Some servers ignore the case of letters, in paths or in methods. Examples: `POST
  /// /v1/Chat/Completions`, `post /v1/chat/completions`.
  private static func isDisguised(method: String, path: String) -> Bool {
    guard methods.contains(method), RequestTarget.plainPath(of: path) == path,
      path.hasPrefix("/v1/")
    else { return true }
    let resource = path.utf8.dropFirst("/v1/".utf8.count).prefix { $0 != UInt8(ascii: "/") }
    // All names of resources are in lower case. Identifiers come after them.
    if resource.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
      return true
    }
    let lowercased = path.lowercased()
    guard metered.contains(where: { $0.path == lowercased }) else { return false }
    return lowercased != path || bodyMethods.contains(method)
  }

  /// The APIs' methods. `TRACE` isn't one: its answer would show the provider's key.
  private static let methods: Set<String> = [
    "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE",
  ]
  /// The methods that request work.
  private static let bodyMethods: Set<String> = ["POST", "PUT", "PATCH"]

  /// Returns the ID of the response that a free request reads or cancels, because the answer may
  /// show its end; nil for any other path.
  public static func responseID(inPath path: String) -> String? {
    let prefix = "/v1/responses/"
    guard path.hasPrefix(prefix) else { return nil }
    let parts = path.dropFirst(prefix.count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard let id = parts.first, parts.count == 1 || parts.count == 2 && parts[1] == "cancel" else {
      return nil
    }
    return String(id)
  }
}
