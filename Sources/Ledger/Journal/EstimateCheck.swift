/// What would have been estimated of a request whose usage was reported.
public struct EstimateCheck: Hashable, Sendable {
  /// Input and output together, by what was known of the model when the request was settled.
  public var estimatedTokens: Int64
  /// Bytes of the texts that the reported tokens were made of; 0 where they are of more than text.
  public var inputTextBytes: Int64
  public var outputTextBytes: Int64

  public init(estimatedTokens: Int64, inputTextBytes: Int64, outputTextBytes: Int64) {
    self.estimatedTokens = estimatedTokens
    self.inputTextBytes = inputTextBytes
    self.outputTextBytes = outputTextBytes
  }
}
