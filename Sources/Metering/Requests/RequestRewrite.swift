public import JSON
internal import Objects

/// Catraca's changes to a request body before it is forwarded.
///
/// It requests usage, sets limits of the output and of tool calls, makes cache names the client's
/// own, and leaves out item ids that the client doesn't own. All other bytes stay as the client
/// sent them.
public struct RequestRewrite: Sendable, Hashable {
  /// Whether to set `stream_options.include_usage`, and to hide its effects from the client.
  public let addsUsage: Bool
  /// The output limit to set, in tokens; nil for none.
  public let outputLimit: Int64?
  /// The limit of the provider's tool calls to set; nil for none.
  public let callLimit: Int64?
  /// The transcription format to request, because the client's format has no usage; nil if the
  /// client's format stays. `TranscriptRendering` then converts the answer back.
  public let transcriptFormat: TranscriptFormat?
  private let transcript: TranscriptRequest?
  /// Whether to make names that are valid for the provider's whole account the client's own.
  private let renames: Bool
  private let foreignItemIDs: Set<String>

  /// - Parameters:
  ///   - outputLimit: The output limit to set, for a request without one.
  ///   - callLimit: The limit of tool calls to set, for a request without one.
  ///   - isSharedAccount: Whether requests of several clients use one account of the provider.
  ///   - foreignItemIDs: The item ids to leave out; see `ItemIDs`.
  public init(
    for facts: RequestFacts, endpoint: Endpoint, dialect: ProviderDialect,
    outputLimit: Int64? = nil, callLimit: Int64? = nil, isSharedAccount: Bool = false,
    foreignItemIDs: Set<String> = []
  ) {
    addsUsage =
      endpoint.usageRequest == .streamOptions && facts.stream && !facts.asksForUsage
      && !dialect.reportsStreamUsageUnasked
    self.outputLimit = outputLimit
    self.callLimit = callLimit
    renames = isSharedAccount && facts.hasOwnNames
    self.foreignItemIDs = foreignItemIDs
    transcript = facts.transcript
    transcriptFormat = facts.transcript?.elicitedFormat(for: facts, dialect: dialect)
  }

  /// Returns the body with the changes; the same array if there are none.
  ///
  /// - Parameters:
  ///   - parser: The parser of the body. It invalidates values that it parsed before.
  ///   - ownName: Converts an app's cache name into its name at a shared account.
  /// - Throws: `MeteringError.notJSON` or `MeteringError.notAnObject`.
  public func applied(
    to body: [UInt8], endpoint: Endpoint, parser: JSONParser,
    ownName: (String) -> String = { $0 }
  ) throws(MeteringError) -> [UInt8] {
    if let transcriptFormat, let transcript {
      return transcript.asking(for: transcriptFormat, in: body)
    }
    guard
      addsUsage || outputLimit != nil || callLimit != nil || renames || !foreignItemIDs.isEmpty
    else { return body }
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
    if !foreignItemIDs.isEmpty { ItemIDs.leaveOut(foreignItemIDs, of: root, &edits) }
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
