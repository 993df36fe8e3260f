public import JSON
internal import Pricing

/// A provider's own count of a request's input: exact, free, and a separate call.
///
/// Catraca requests it when a budget is almost used up: the text's bound (its bytes) doesn't fit,
/// but its likely size does. Only plain-text messages are counted this way, because both APIs read
/// them alike.
public struct InputCount: Sendable, Hashable {
  /// The path of the counting call, without a provider's prefix.
  public let path: String
  /// The body of the counting call, as JSON.
  public let body: [UInt8]

  /// Returns the tokens held above the count, because the two APIs may wrap the same messages
  /// differently: 1/32 of the count, at least 16.
  public static func margin(over count: Int64) -> Int64 {
    max(16, count / 32)
  }

  /// Returns nil if the provider has no such call, or if the request contains anything but plain
  /// text.
  ///
  /// - Parameter parser: The parser of the body. It invalidates values that it parsed before.
  public init?(
    of body: [UInt8], for facts: RequestFacts, dialect: ProviderDialect, parser: JSONParser
  ) {
    guard let path = dialect.inputCountPath, facts.operation == .chat,
      let root = try? parser.parse(body), let located = JSONLocatedObject(root: root),
      let messages = located.member("messages"), InputCount.isPlainText(messages.value),
      !InputCount.shapingMembers.contains(where: { root[$0].map { !$0.isNull } ?? false })
    else { return nil }
    self.path = path
    var writer = JSONWriter()
    writer.object { object in
      object.member("model", facts.model)
      object.key("input")
      object.raw(body[messages.valueRange])
    }
    self.body = writer.bytes
  }

  /// Members that add to the input in ways that the two APIs write differently.
  private static let shapingMembers: [StaticString] = [
    "tools", "functions", "response_format", "prediction", "modalities", "web_search_options",
  ]

  private static func isPlainText(_ messages: JSONValue) -> Bool {
    guard messages.kind == .array, !messages.isEmptyContainer else { return false }
    return messages.elements.allSatisfy { message in
      guard message.kind == .object, let role = message["role"]?.string,
        ["system", "developer", "user", "assistant"].contains(role),
        message["content"]?.utf8Count != nil
      else { return false }
      return message.members.allSatisfy { $0.hasKey("role") || $0.hasKey("content") }
    }
  }

  /// Reads the provider's answer; nil if it has no count.
  public static func read(_ answer: [UInt8], parser: JSONParser) -> Int64? {
    guard let root = try? parser.parse(answer),
      let count = root["input_tokens"]?.integer, (0...Int64(1 << 53)).contains(count)
    else { return nil }
    return count
  }
}
