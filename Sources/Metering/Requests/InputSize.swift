/// What a request sends to the model, counted in the units from which tokens are bounded.
public struct InputSize: Sendable, Hashable {
  /// Bytes of UTF-8 of the text that the model reads.
  public var textBytes: Int64 = 0
  /// Tokens that the request gives by their ids.
  public var tokens: Int64 = 0
  /// Messages, or texts that are treated apart.
  public var messages: Int64 = 0
  /// Parts of messages: texts, images, sounds, tool calls.
  public var parts: Int64 = 0
  public var tools: Int64 = 0
  /// Those among the tools that the app runs and the provider describes to the model.
  public var describedTools: Int64 = 0
  /// Strings, keys, numbers, arrays and objects of JSON that the model reads, such as schemas.
  public var nodes: Int64 = 0
  /// The numbers among them.
  public var numbers: Int64 = 0
  /// Images whose detail isn't `low`.
  public var images: Int64 = 0
  public var lowDetailImages: Int64 = 0
  /// The longest that the sounds can be, by their size and format.
  public var audioMilliseconds: Int64 = 0
  /// Tokens of sound that may still come: a bound covers them, an estimate leaves them out.
  public var spareAudioTokens: Int64 = 0
  /// Whether the model reads things that the request only refers to: files, web pages. Their only
  /// bound is the model's context.
  public var isOpenEnded = false

  public init() {}
}
