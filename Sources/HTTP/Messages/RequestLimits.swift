/// The size limits of a request's head.
public struct RequestLimits: Hashable, Sendable {
  /// The bytes from the first one to the empty line that ends the head, including both.
  public let headBytes: Int
  public let fields: Int
  public let targetBytes: Int

  public static let defaultHeadBytes = 64 << 10
  public static let defaultFields = 128
  public static let defaultTargetBytes = 8 << 10

  /// The largest value of `headBytes`.
  public static let maximumHeadBytes = 16 << 20

  public init(
    headBytes: Int = defaultHeadBytes, fields: Int = defaultFields,
    targetBytes: Int = defaultTargetBytes
  ) {
    precondition(1...Self.maximumHeadBytes ~= headBytes, "a head has a size that can be kept")
    precondition(fields > 0 && targetBytes > 0, "a limit of nothing refuses everything")
    self.headBytes = headBytes
    self.fields = fields
    self.targetBytes = targetBytes
  }
}
