internal import HTTP
public import Objects
public import Pricing

/// What metering needs to know of a request, read from its body once.
public struct RequestFacts: Sendable, Hashable {
  public var operation: Operation
  public var model: String
  public var stream = false
  /// Whether the provider may answer at once and do the work afterwards.
  public var isBackground = false
  /// Whether the provider keeps the answer, so that later requests can name it and what is in it.
  public var keepsObjects = false
  /// Of a batch: whether lines of its input name users or conversations.
  public var linesNameCallers = false
  /// Whether the client itself asks for usage in a stream.
  public var asksForUsage = false
  /// The limit of output tokens for one choice: the request's own, or what its provider takes for
  /// one without; nil if there is none, 0 for operations whose answers have no tokens.
  public var outputLimit: Int64?
  /// How many answers are made, at least one.
  public var choices: Int64 = 1
  public var serviceTier: String?
  /// Within which time a response in the background is to be complete; nil where the provider takes
  /// no longer than it needs.
  public var completionWindow: String?
  /// The client's own end user.
  public var user: String?
  public var conversation: String?
  public var reasoningEffort: String?
  /// Whether the answer may be spoken.
  public var asksForAudio = false
  /// Whether the provider may search the web for the answer, at a fee.
  public var maySearchWeb = false
  /// Whether the answer doesn't say how often the web was searched for it.
  public var searchesUncounted = false
  public var input = InputSize()
  /// How often the model may read its whole context, at least once: after each call of a tool that
  /// the provider runs, it reads it again.
  public var passes: Int64 = 1
  /// The most calls billed outside tokens that the answer may take.
  public var calls: Int64 = 0
  /// The prices of those calls, by their names among a pricing file's surcharges; empty if unknown.
  public var callSurcharges: [String] = []
  /// Whether the provider may call its tools as often as it likes: the request declares such tools,
  /// and sets no limit although its endpoint takes one.
  public var lacksCallLimit = false
  /// What the containers of the provider's tools are priced by.
  var containers = Containers()
  /// The model of the tool that draws, if the request declares that tool.
  public var imageToolModel: String?
  /// The most tokens of one of its drawings.
  public var imageToolTokens: Int64 = 0
  /// Whether several agents may work on the answer; nothing limits how many.
  public var asksForAgents = false
  /// Whether the work of several runs may be summed in the usage.
  public var asksForSeveralRuns = false
  /// How often the provider may shorten the context on the way, which takes a pass over it.
  public var compactions: Int64 = 0
  /// The models that may answer in place of the request's own, or do a part of the work.
  public var otherModels = NamedModels()
  /// Code points of text to be spoken, for models that are priced by them.
  public var characters: Int64 = 0
  /// About how many tokens the spoken text has, for models that are priced by those.
  var speechTokens: Int64 = 0
  /// The longest that a sound to be written down can be.
  public var audioMilliseconds: Int64 = 0
  /// How long that sound is, as far as can be told.
  public var estimatedAudioMilliseconds: Int64 = 0
  /// Of a transcription or translation: its format.
  public var transcript: TranscriptRequest?
  /// How many images are to be made.
  public var images: Int64 = 0
  /// Their size and quality, as the request names them.
  public var imageSize: String?
  public var imageQuality: String?
  /// How many drafts of each are sent.
  public var partialImages: Int64 = 0
  /// Whether the answer's tokens may be those of images.
  public var asksForImages = false
  /// Bytes of predicted output; what is rejected of it is billed as output.
  public var predictionBytes: Int64 = 0

  /// Whether the request names a cache of prompts, or the work that it belongs to. Such a name is
  /// the app's own, and means something at the provider's account.
  public var hasOwnNames = false

  /// The objects at the provider that the request names, each once.
  public var references: [ObjectReference] = []

  public init(operation: Operation, model: String) {
    self.operation = operation
    self.model = model
  }

  /// The same with a limit of how often the provider may call its tools.
  public func limitingCalls(to calls: Int64) -> RequestFacts {
    var facts = self
    facts.lacksCallLimit = false
    facts.calls = calls
    facts.passes = calls + 1
    return facts
  }

  public var toolCount: Int64 { input.tools }
  /// Whether the provider may go on with the work after its answer: with a response that is made in
  /// the background, or a batch.
  public var outlivesAnswer: Bool { isBackground || operation == .batch }

  public var hasImages: Bool { input.images + input.lowDetailImages > 0 }
  public var hasAudioInput: Bool { input.audioMilliseconds > 0 }

  /// Checks the name of a user, conversation or agent. An empty one names nobody.
  ///
  /// - Parameter param: what the client is told to mend: the member or the header.
  public static func check(identifier: String, param: String) throws(MeteringError) {
    guard identifier.isEmpty || PlainText.isValid(identifier) else {
      throw .invalidIdentifier(param: param)
    }
  }

  /// The longest model name that is taken, in bytes.
  public static let longestName = 512
  /// How many answers one request may ask for.
  public static let choicesAllowed: ClosedRange<Int64> = 1...128
  /// How often one request may let the provider call its tools.
  public static let callsAllowed: ClosedRange<Int64> = 0...1000
}
