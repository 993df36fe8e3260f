import JSON
import Pricing

/// The sizes of a request's and an answer's texts, and the tokens that the provider counted for
/// them.
public struct MeasuredTexts: Sendable, Hashable {
  /// As in `RequestFacts.estimatedTextBytes`; 0 if the tokens include more than that text.
  public var inputBytes: Int64
  public var inputTokens: Int64
  /// As in `UsageReport.outputTextBytes`.
  public var outputBytes: Int64
  public var outputTokens: Int64

  public init(inputBytes: Int64, inputTokens: Int64, outputBytes: Int64, outputTokens: Int64) {
    self.inputBytes = inputBytes
    self.inputTokens = inputTokens
    self.outputBytes = outputBytes
    self.outputTokens = outputTokens
  }

  /// Returns nil if the answer reported no usage of its own model, or isn't complete.
  public init?(of facts: RequestFacts, _ report: UsageReport) {
    guard let usage = report.usage, report.breakdown.isEmpty, !report.isError,
      !report.isUnreadable
    else { return nil }
    switch facts.operation {
    case .chat, .responses, .completion, .embedding: break
    default: return nil
    }
    self.init(
      inputBytes: facts.input.isTextOnly ? facts.estimatedTextBytes : 0,
      inputTokens: usage.inputTokens, outputBytes: report.outputTextBytes,
      outputTokens: usage.textOutputTokens + usage.reasoningTokens)
  }
}

extension InputSize {
  /// Whether the model reads only text that is in the request.
  fileprivate var isTextOnly: Bool {
    !isOpenEnded && tokens == 0 && images == 0 && lowDetailImages == 0 && audioMilliseconds == 0
  }
}

extension InputSize {
  /// Adds one or several texts that are processed separately: a string, an array of strings, the
  /// IDs of a text's tokens, or an array of such lists.
  mutating func add(texts value: JSONValue) {
    var elements = value.elements
    switch elements.next()?.kind {
    case .string, .array, .object:
      for text in value.elements { add(text: text) }
    default: add(text: value)
    }
  }

  private mutating func add(text: JSONValue) {
    messages += 1
    switch text.kind {
    case .string: textBytes += Int64(text.utf8Count ?? 0)
    case .array: tokens += text.elements.reduce(0) { count, _ in count + 1 }
    default: add(json: text)
    }
  }
}

extension String {
  /// Whether the text contains the bytes of `fragment`. `contains` compares characters and takes a
  /// microsecond; names of models and tools are ASCII.
  func hasFragment(_ fragment: String) -> Bool {
    let (text, wanted) = (utf8.span, fragment.utf8.span)
    guard text.count >= wanted.count else { return false }
    for start in 0...text.count - wanted.count {
      var length = 0
      while length < wanted.count, text[start + length] == wanted[length] { length += 1 }
      if length == wanted.count { return true }
    }
    return false
  }
}

/// The size of a request's input, in the units that bound its tokens.
public struct InputSize: Sendable, Hashable {
  /// UTF-8 bytes of the text that the model reads.
  public var textBytes: Int64 = 0
  /// Tokens that the request states by their IDs.
  public var tokens: Int64 = 0
  /// Messages, or texts that are processed separately.
  public var messages: Int64 = 0
  /// Parts of messages: texts, images, sounds, tool calls.
  public var parts: Int64 = 0
  public var tools: Int64 = 0
  /// Tools that the app runs and the provider describes to the model.
  public var describedTools: Int64 = 0
  /// JSON strings, keys, numbers, arrays and objects that the model reads, for example in schemas.
  public var nodes: Int64 = 0
  /// The numbers among these nodes.
  public var numbers: Int64 = 0
  /// Images whose detail isn't `low`.
  public var images: Int64 = 0
  public var lowDetailImages: Int64 = 0
  /// The longest possible duration of the sounds, by their size and format.
  public var audioMilliseconds: Int64 = 0
  /// Audio tokens that may still come. A bound includes them; an estimate doesn't.
  public var spareAudioTokens: Int64 = 0
  /// Whether the model reads content that the request only refers to: files, web pages. Only the
  /// model's context bounds that content.
  public var isOpenEnded = false

  public init() {}
}
