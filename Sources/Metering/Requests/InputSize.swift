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
