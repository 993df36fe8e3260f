public import JSON

/// What Catraca changes in a request body before it is forwarded: usage is asked for, limits of
/// output and of calls of tools may be set, and names of caches become the client's own. All other
/// bytes stay as the client sent them.
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
  /// Whether names that mean something at the provider's account are to be the client's own.
  private let renames: Bool

  /// - Parameters:
  ///   - outputLimit: a limit to set, for a request that sets none itself.
  ///   - callLimit: the same for calls of tools.
  ///   - isSharedAccount: whether several clients' requests go to one account of the provider.
  public init(
    for facts: RequestFacts, endpoint: Endpoint, dialect: ProviderDialect,
    outputLimit: Int64? = nil, callLimit: Int64? = nil, isSharedAccount: Bool = false
  ) {
    addsUsage =
      endpoint.usageRequest == .streamOptions && facts.stream && !facts.asksForUsage
      && !dialect.reportsStreamUsageUnasked
    self.outputLimit = outputLimit
    self.callLimit = callLimit
    renames = isSharedAccount && facts.hasOwnNames
    transcript = facts.transcript
    transcriptFormat = facts.transcript?.elicitedFormat(for: facts, dialect: dialect)
  }

  /// The body with the changes made; the same array when there are none.
  ///
  /// - Parameters:
  ///   - parser: what parses the body; earlier values of it end to hold.
  ///   - ownName: what an app's name for a cache is to be at an account of several clients.
  public func applied(
    to body: [UInt8], endpoint: Endpoint, parser: JSONParser,
    ownName: (String) -> String = { $0 }
  ) throws(MeteringError) -> [UInt8] {
    if let transcriptFormat, let transcript {
      return transcript.asking(for: transcriptFormat, in: body)
    }
    guard addsUsage || outputLimit != nil || callLimit != nil || renames else { return body }
    let value: JSONValue
    do { value = try parser.parse(body) } catch { throw .notJSON(error) }
    guard let root = JSONLocatedObject(root: value) else { throw .notAnObject }
    var edits = TextEdits()
    if addsUsage { Self.setIncludeUsage(in: root, &edits) }
    if let outputLimit, case .limited(let member) = endpoint.output {
      Self.set(member, to: "\(outputLimit)", in: root, &edits)
    }
    if let callLimit { Self.set("max_tool_calls", to: "\(callLimit)", in: root, &edits) }
    if renames {
      Self.rename("prompt_cache_key", in: root, to: ownName, &edits)
      if let options = root.member("background_options")?.object {
        Self.rename("continuation_id", in: options, to: ownName, &edits)
      }
    }
    return edits.applied(to: body)
  }

  private static func rename(
    _ key: StaticString, in object: JSONLocatedObject, to ownName: (String) -> String,
    _ edits: inout TextEdits
  ) {
    guard let member = object.member(key), let name = member.value.string, !name.isEmpty else {
      return
    }
    var writer = JSONWriter()
    writer.string(ownName(name))
    edits.replace(member.valueRange, with: String(decoding: writer.bytes, as: UTF8.self))
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
