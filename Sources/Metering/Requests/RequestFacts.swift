internal import HTTP
internal import JSON
internal import Objects
public import Pricing

/// The facts of a request that metering needs. They are read from its body once.
public struct RequestFacts: Sendable, Hashable {
  public var operation: Operation
  public var model: String
  public var stream = false
  /// Whether the provider may answer at once and do the work later.
  public var isBackground = false
  /// Whether the provider keeps the answer, so that later requests can name it and its contents.
  public var keepsObjects = false
  /// For a batch: whether lines of its input name users or conversations.
  public var linesNameCallers = false
  /// Whether the client itself requests usage in a stream.
  public var asksForUsage = false
  /// The output limit of one choice, in tokens: the request's own, or the provider's default. Nil
  /// if there is none; 0 for operations whose answers have no tokens.
  public var outputLimit: Int64?
  /// The number of answers, at least one.
  public var choices: Int64 = 1
  public var serviceTier: String?
  /// The client's own end user.
  public var user: String?
  public var conversation: String?
  /// Whether the answer may be spoken.
  public var asksForAudio = false
  /// Whether the provider may search the web for the answer, for a fee.
  public var maySearchWeb = false
  /// Whether the answer doesn't report its number of web searches.
  public var searchesUncounted = false
  public var input = InputSize()
  /// The number of times that the model may read its whole context, at least 1. The model reads it
  /// again after each call of a tool that the provider runs.
  public var passes: Int64 = 1
  /// The most calls of the answer that are billed separately from tokens.
  public var calls: Int64 = 0
  /// Whether the number of the provider's tool calls is unlimited: the request declares such tools
  /// and sets no limit, although its endpoint accepts one.
  public var lacksCallLimit = false
  /// Upper bound of the tokens of one drawing.
  public var imageToolTokens: Int64 = 0
  /// Whether several agents may work on the answer. Their number has no limit.
  public var asksForAgents = false
  /// Whether the usage may be the sum of several runs.
  public var asksForSeveralRuns = false
  /// The number of times that the provider may shorten the context during the answer. Each time
  /// takes one pass over the context.
  public var compactions: Int64 = 0
  /// Code points of the text to be spoken, for models priced by them.
  public var characters: Int64 = 0
  /// The approximate number of tokens of the spoken text, for models priced by tokens.
  var speechTokens: Int64 = 0
  /// The longest possible duration of the sound to transcribe.
  public var audioMilliseconds: Int64 = 0
  /// The estimated duration of that sound.
  public var estimatedAudioMilliseconds: Int64 = 0
  /// The number of images to make.
  public var images: Int64 = 0
  /// The number of drafts sent for each image.
  public var partialImages: Int64 = 0
  /// Whether the answer's tokens may be image tokens.
  public var asksForImages = false
  /// Whether the provider may keep what it reads in its cache for twelve hours, which is dearer to
  /// write than half an hour.
  public var mayCacheLong = true
  /// Bytes of predicted output. The rejected part is billed as output.
  public var predictionBytes: Int64 = 0

  /// Whether the request names a prompt cache, or the work that it belongs to. The app chooses such
  /// a name, and it is valid for the provider's whole account.
  public var hasOwnNames = false

  /// The facts that few requests have; nil if the request has none of them.
  var rare: RareFacts.Box?

  public init(operation: Operation, model: String) {
    self.operation = operation
    self.model = model
  }

  /// Returns the facts with a limit of the provider's tool calls.
  public func limitingCalls(to calls: Int64) -> RequestFacts {
    var facts = self
    facts.lacksCallLimit = false
    facts.calls = calls
    facts.passes = calls + 1
    return facts
  }

  public var toolCount: Int64 { input.tools }
  /// Whether the provider may continue the work after its answer, with a background response or a
  /// batch.
  public var outlivesAnswer: Bool { isBackground || operation == .batch }

  public var hasImages: Bool { input.images + input.lowDetailImages > 0 }
  public var hasAudioInput: Bool { input.audioMilliseconds > 0 }

  /// Checks the name of a user, conversation or agent. An empty name is valid and means none.
  ///
  /// - Parameter param: The member or header that the client's error names.
  /// - Throws: `MeteringError.invalid` if the name is too long or has characters that aren't
  ///   allowed.
  public static func check(identifier: String, param: String) throws(MeteringError) {
    guard identifier.isEmpty || PlainText.isValid(identifier) else {
      throw .invalidIdentifier(param: param)
    }
  }

  /// The longest model name, in bytes.
  public static let longestName = 512
  /// The allowed number of answers to one request.
  public static let choicesAllowed: ClosedRange<Int64> = 1...128
  /// The allowed limits of the provider's tool calls in one request.
  public static let callsAllowed: ClosedRange<Int64> = 0...1000
}

extension RequestFacts {
  /// Finds the objects that a body names, and the ids of the items that the provider keeps.
  mutating func gatherObjects(
    of root: JSONValue, _ endpoint: Endpoint
  ) throws(MeteringError) {
    do throws(TooManyReferences) {
      references = try ObjectReferences.inBody(root)
      guard endpoint.keepsAnswers else { return }
      // The provider also looks items up for a response that it doesn't store, if the request
      // continues a conversation or another response.
      let hasState =
        keepsObjects
        || references.contains { $0.kind == .conversation || $0.kind == .response }
      itemIDs = try ItemIDs.inBody(root, hasState ? .all : .callsWithoutResults)
      guard !hasState, references.contains(where: \.isApproval) else { return }
      let given = Set(try ItemIDs.inBody(root, .whole))
      references.removeAll { $0.isApproval && given.contains($0.id) }
    } catch {
      throw .tooManyReferences
    }
  }
}

/// Models whose tokenizers make about the same number of tokens from a text.
///
/// A family is used for estimates only, until the model's own answers have replaced it: see
/// `TokenRate`.
struct TokenFamily: Sendable {
  /// UTF-8 bytes per token of ordinary text, in tenths.
  let tenthsOfBytesPerToken: Int64

  static let openAI = TokenFamily(tenthsOfBytesPerToken: 40)
  static let llama = TokenFamily(tenthsOfBytesPerToken: 40)
  static let anthropic = TokenFamily(tenthsOfBytesPerToken: 35)
  static let google = TokenFamily(tenthsOfBytesPerToken: 40)
  /// Unknown tokenizers: the estimate is rather too high than too low.
  static let other = TokenFamily(tenthsOfBytesPerToken: 30)

  /// Fragments of models' names and their families. The first match counts.
  private static let families: [(fragment: String, family: TokenFamily)] = [
    ("gpt-", .openAI), ("chatgpt", .openAI), ("text-embedding", .openAI),
    ("llama", .llama), ("compound", .llama),
    ("claude", .anthropic),
    ("gemini", .google), ("gemma", .google),
  ]

  /// OpenAI's reasoning models have short names, so these match only as a prefix.
  private static let openAIPrefixes = ["o1", "o3", "o4"]

  static func of(model: String) -> TokenFamily {
    if openAIPrefixes.contains(where: model.hasPrefix) { return openAI }
    return families.first { model.hasFragment($0.fragment) }?.family ?? other
  }
}
