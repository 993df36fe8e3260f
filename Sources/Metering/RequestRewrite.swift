public import JSON

/// What Catraca changes in a request body before it is forwarded: usage is asked for, and limits of
/// output and of calls of tools may be set. All other bytes stay as the client sent them.
public struct RequestRewrite: Sendable, Hashable {
  /// Whether `stream_options.include_usage` is to be set, and its effects to be hidden from the
  /// client again.
  public let addsUsage: Bool
  /// The limit of output tokens to set, if any.
  public let outputLimit: Int64?
  /// How often the provider may call its tools, if that is to be set.
  public let callLimit: Int64?
  /// The format of a transcription to ask for, because the one that the client wants says nothing
  /// of usage; the answer must be turned back by `TranscriptRendering`.
  public let transcriptFormat: TranscriptFormat?
  private let transcript: TranscriptRequest?

  /// - Parameters:
  ///   - outputLimit: a limit to set, for a request that sets none itself.
  ///   - callLimit: the same for calls of tools.
  public init(
    for facts: RequestFacts, endpoint: Endpoint, dialect: ProviderDialect,
    outputLimit: Int64? = nil, callLimit: Int64? = nil
  ) {
    addsUsage =
      endpoint.usageRequest == .streamOptions && facts.stream && !facts.asksForUsage
      && !dialect.reportsStreamUsageUnasked
    self.outputLimit = outputLimit
    self.callLimit = callLimit
    transcript = facts.transcript
    transcriptFormat = facts.transcript?.elicitedFormat(for: facts, dialect: dialect)
  }

  /// The body with the changes made; the same array when there are none.
  ///
  /// - Parameter parser: what parses the body; earlier values of it end to hold.
  public func applied(
    to body: [UInt8], endpoint: Endpoint, parser: JSONParser
  ) throws(MeteringError) -> [UInt8] {
    if let transcriptFormat, let transcript {
      return transcript.asking(for: transcriptFormat, in: body)
    }
    guard addsUsage || outputLimit != nil || callLimit != nil else { return body }
    let value: JSONValue
    do { value = try parser.parse(body) } catch { throw .notJSON(error) }
    guard let root = JSONLocatedObject(root: value) else { throw .notAnObject }
    var edits = TextEdits()
    if addsUsage { Self.setIncludeUsage(in: root, &edits) }
    if let outputLimit, case .limited(let member) = endpoint.output {
      Self.set(member, to: "\(outputLimit)", in: root, &edits)
    }
    if let callLimit { Self.set("max_tool_calls", to: "\(callLimit)", in: root, &edits) }
    return edits.applied(to: body)
  }

  private static func setIncludeUsage(in root: JSONLocatedObject, _ edits: inout TextEdits) {
    if let options = root.member("stream_options")?.object {
      set("include_usage", to: "true", in: options, &edits)
    } else {
      set("stream_options", to: #"{"include_usage":true}"#, in: root, &edits)
    }
  }

  /// Replaces a member's value, or inserts the member before all others.
  private static func set(
    _ key: StaticString, to json: String, in object: JSONLocatedObject, _ edits: inout TextEdits
  ) {
    if let member = object.member(key) {
      edits.replace(member.valueRange, with: json)
    } else {
      let comma = object.isEmpty ? "" : ","
      edits.replace(object.start..<object.start, with: "\"\(key)\":\(json)\(comma)")
    }
  }
}
