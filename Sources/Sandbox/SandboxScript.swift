/// The unusual behaviour that a request asks for in its `x-sandbox` field: `x-sandbox:
/// completion_tokens=40; cut_after=3`.
struct SandboxScript: Equatable, Sendable {
  /// Usage figures that are reported instead of counted ones.
  var promptTokens: Int64?
  var completionTokens: Int64?
  var cachedTokens: Int64 = 0
  var reasoningTokens: Int64 = 0
  var audioTokens: Int64 = 0
  /// Answers with this error status.
  var status: Int?
  /// Waits before the head of the answer.
  var delayMilliseconds = 0
  /// Waits before each event of a stream, and before a cut. Without a wait, bytes sent just before
  /// a reset can be lost with it.
  var chunkDelayMilliseconds = 0
  /// The number of pieces of text in a stream, and the bytes in each.
  var chunks: Int?
  var chunkBytes: Int?
  /// Resets the connection after this number of events of a stream, or in the middle of a plain
  /// answer.
  var cutAfter: Int?
  /// Ends a stream properly, but without its `[DONE]`.
  var endsWithoutDone = false
  /// Reports no usage anywhere.
  var hidesUsage = false
  /// Breaks a stream off with an error event.
  var failsMidstream = false
  /// Sends a head that is not HTTP.
  var isMalformed = false
  /// Never answers.
  var hangs = false
  /// Repeats the last message as the answer.
  var echoes = false
  /// The number of web searches that are reported. They are billed outside of the usage.
  var webSearches = 0
  var fileSearches = 0
  /// The number of containers that are used. Two calls share each.
  var containers = 0
  /// The number of requests for the state of background work that still find it in progress.
  var pendingLooks = 0
  /// Answers each piece of sound of a realtime session as if it were a complete turn.
  var detectsTurns = false
  var responseModel: String?
  var serviceTier: String?
  /// Makes identifiers and times depend on this number only, so that equal requests get equal
  /// bytes.
  var seed: Int64?

  /// The largest count, size or wait that a script can ask for.
  static let largestNumber: Int64 = 10_000_000
  /// The most bytes of text that a script can ask for: 64 MiB.
  static let largestText = 64 << 20

  /// The usual behaviour.
  init() {}

  /// Reads the value of an `x-sandbox` field.
  ///
  /// - Throws: An error with the code `invalid_script`.
  init(_ text: String) throws(ProviderError) {
    for part in text.split(separator: ";") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let key = SandboxScript.trim(sides[0])
      try set(key, sides.count == 2 ? SandboxScript.trim(sides[1]) : nil)
    }
    guard (chunks ?? 1) * (chunkBytes ?? 1) <= SandboxScript.largestText else {
      throw ProviderError.badValue(key: "chunks", allowed: "few enough for 64 MiB of text")
    }
  }

  private mutating func set(_ key: String, _ value: String?) throws(ProviderError) {
    switch key {
    case "prompt_tokens": promptTokens = try number(key, value)
    case "completion_tokens": completionTokens = try number(key, value)
    case "cached_tokens": cachedTokens = try number(key, value)
    case "reasoning_tokens": reasoningTokens = try number(key, value)
    case "audio_tokens": audioTokens = try number(key, value)
    case "status":
      let number = try number(key, value)
      guard 400...599 ~= number else {
        throw ProviderError.badValue(key: key, allowed: "400 to 599")
      }
      status = Int(number)
    case "delay_ms": delayMilliseconds = Int(try number(key, value))
    case "chunk_delay_ms": chunkDelayMilliseconds = Int(try number(key, value))
    case "chunks": chunks = Int(try number(key, value))
    case "chunk_bytes": chunkBytes = Int(try number(key, value))
    case "cut_after": cutAfter = Int(try number(key, value))
    case "web_searches": webSearches = Int(try number(key, value))
    case "file_searches": fileSearches = Int(try number(key, value))
    case "containers": containers = Int(try number(key, value))
    case "pending_looks": pendingLooks = Int(try number(key, value))
    case "seed": seed = try number(key, value)
    case "response_model": responseModel = value
    case "service_tier": serviceTier = value
    case "end_without_done": endsWithoutDone = true
    case "no_usage": hidesUsage = true
    case "error_midstream": failsMidstream = true
    case "malformed_http": isMalformed = true
    case "hang": hangs = true
    case "echo": echoes = true
    case "detect_turns": detectsTurns = true
    default: throw ProviderError.badScript("there is no key '\(key)'")
    }
  }

  private func number(_ key: String, _ value: String?) throws(ProviderError) -> Int64 {
    guard let value, let number = Int64(value), 0...SandboxScript.largestNumber ~= number else {
      throw ProviderError.badValue(key: key, allowed: "0 to \(SandboxScript.largestNumber)")
    }
    return number
  }

  private static func trim(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

extension ProviderError {
  fileprivate static func badScript(_ reason: String) -> ProviderError {
    ProviderError(status: 400, message: "x-sandbox: \(reason)", code: "invalid_script")
  }

  fileprivate static func badValue(key: String, allowed: String) -> ProviderError {
    badScript("\(key) must be \(allowed)")
  }
}
