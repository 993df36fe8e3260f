/// The estimate that would have been made for a request whose usage was reported.
public struct EstimateCheck: Hashable, Sendable {
  /// Input and output together, by the model's rates at the settlement.
  public var estimatedTokens: Int64
  /// Bytes of the input text that the reported tokens were made from; 0 if the tokens include more
  /// than text.
  public var inputTextBytes: Int64
  public var outputTextBytes: Int64

  public init(estimatedTokens: Int64, inputTextBytes: Int64, outputTextBytes: Int64) {
    self.estimatedTokens = estimatedTokens
    self.inputTextBytes = inputTextBytes
    self.outputTextBytes = outputTextBytes
  }
}
