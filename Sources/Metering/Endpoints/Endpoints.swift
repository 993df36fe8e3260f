internal import HTTP
internal import Objects
import Pricing

/// What Catraca does with a request, by its method and path.
public enum EndpointClass: Sendable {
  /// It costs money, and metering knows how.
  case metered(Endpoint)
  /// A request for a batch: each request in its file is metered.
  case batch
  /// A question for the models, which Catraca answers itself: for all of them, or for the one whose
  /// name stands behind `/v1/models/`.
  case models(named: String?)
  /// It costs nothing: it passes unmetered, if it names only objects of its client.
  case free
  /// Unknown, or known to cost money in ways that can't be metered. Operators can open it.
  case refused
  /// A path or method that another server could take for an endpoint that costs money. Nothing
  /// opens it.
  case closed
}

/// The table of endpoints. To meter one more, add its entry to `metered`.
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

  /// Makes a conversation shorter, which a model does.
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

  /// Answers up to 400 questions about an input, each in a token or so.
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

  /// Counts the input of a response that isn't made, which is free.
  public static let inputTokens = "/v1/responses/input_tokens"

  /// What a request for a batch is, beside the requests in its file.
  public static let batches = Endpoint(
    method: "POST", path: "/v1/batches", operation: .batch, request: .json([:]), output: .none,
    answer: BatchAnswer.self)

  private static let models = "/v1/models"

  /// Where the requests of a batch may go.
  static let batchable = [chatCompletions, responses, completions, embeddings, moderations]

  /// Looks a request up.
  ///
  /// - Parameters:
  ///   - method: the request's method; methods are case-sensitive.
  ///   - path: the path without a provider's prefix and without the query: `/v1/models`. A path
  ///     that isn't plain is closed.
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

  /// Whether another server could take a request for that of an endpoint which costs money.
  ///
  /// Some servers ignore capitals, and some answer a method by its name in capitals.
  /// Example: `POST /v1/Chat/Completions`, `post /v1/chat/completions`.
  private static func isDisguised(method: String, path: String) -> Bool {
    guard methods.contains(method), RequestTarget.plainPath(of: path) == path,
      path.hasPrefix("/v1/")
    else { return true }
    let resource = path.utf8.dropFirst("/v1/".utf8.count).prefix { $0 != UInt8(ascii: "/") }
    // All names of resources are in lower case. Identifiers come behind them.
    if resource.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
      return true
    }
    let lowercased = path.lowercased()
    guard metered.contains(where: { $0.path == lowercased }) else { return false }
    return lowercased != path || bodyMethods.contains(method)
  }

  /// The methods of the APIs. `TRACE` is none of them: its answer shows the provider's key.
  private static let methods: Set<String> = [
    "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE",
  ]
  /// The methods by which work is asked for.
  private static let bodyMethods: Set<String> = ["POST", "PUT", "PATCH"]

  /// The id of the response that a free request reads or cancels, which may show its end; nil for
  /// any other path.
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
