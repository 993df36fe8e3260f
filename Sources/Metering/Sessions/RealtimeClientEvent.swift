public import JSON
public import Objects

/// The facts of a client's event in a realtime session that matter to metering.
public struct RealtimeClientEvent: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// Requests a response.
    case createResponse
    case updateSession
    /// Sound that the model will hear, and that may be transcribed.
    case appendAudio
    case other
  }

  /// The most output tokens of a response.
  public enum OutputLimit: Sendable, Hashable {
    case tokens(Int64)
    /// As many tokens as the model can make.
    case model

    /// The limit in tokens; nil for the model's own limit.
    public var tokens: Int64? {
      if case .tokens(let tokens) = self { tokens } else { nil }
    }
  }

  /// The model that transcribes the user's speech, if any.
  public enum Transcription: Sendable, Hashable {
    case none
    case by(model: String)
  }

  public var kind = Kind.other
  /// The client's own name for the event.
  public var eventID: String?
  /// The model that the event names; a session can't change it.
  public var model: String?
  /// Further models that the event names, in settings that only some servers read.
  public var otherModels = NamedModels()
  /// The new transcription setting; nil if the event doesn't change it.
  public var transcription: Transcription?
  /// The output limit that the event sets, for one response or for all later ones; nil if it sets
  /// none.
  public var outputLimit: OutputLimit?
  /// Whether the model reads content that the event only refers to.
  public var isOpenEnded = false
  /// Upper bound of the bytes of text that the model reads.
  public var textBytes: Int64 = 0
  /// Base64 characters of sound.
  public var audioCharacters: Int64 = 0
  public var images: Int64 = 0
  /// The provider's objects that the event names, those of its own session too.
  public var references: [ObjectReference] = []
  /// The ids that the event gives to the items that it brings along.
  public var givenIDs: [String] = []

  /// The members that are read, of an event and of a session's or a response's settings.
  private static let eventMembers: Set<String> = [
    "type", "event_id", "session", "response", "item", "audio",
  ]
  private static let settingMembers: Set<String> = [
    "model", "max_output_tokens", "max_response_output_tokens", "input_audio_transcription",
    "audio", "prompt", "tools", "input",
  ]

  /// The limits that a request may set.
  private static let limits: ClosedRange<Int64> = 1...1_000_000

  /// Reads an event.
  ///
  /// - Parameter parser: The parser of the event. It invalidates values that it parsed before.
  /// - Throws: `MeteringError`, which the client gets as its answer. The event must not be
  ///   forwarded then.
  public static func read(
    _ message: [UInt8], parser: JSONParser
  ) throws(MeteringError) -> RealtimeClientEvent {
    let root: JSONValue
    do { root = try parser.parse(message) } catch { throw .notJSON(error) }
    guard root.kind == .object else { throw .notAnObject }
    try root.checkKeys(among: eventMembers)
    guard let type = root["type"], type.kind == .string else { throw .missing(param: "type") }
    var event = RealtimeClientEvent()
    event.eventID = root["event_id"]?.string
    event.textBytes = Int64(message.count)
    event.references = try MeteringError.references { () throws(TooManyReferences) in
      event.givenIDs = try ObjectReferences.idsGiven(inSessionEvent: root)
      return try ObjectReferences.inSessionEvent(root)
    }
    if type.isString("input_audio_buffer.append") {
      event.kind = .appendAudio
      event.take(audio: root["audio"])
    } else if type.isString("response.create") {
      event.kind = .createResponse
      if let response = root["response"] { try event.read(response, name: "response") }
    } else if type.isString("session.update") || type.isString("transcription_session.update") {
      event.kind = .updateSession
      guard let session = root["session"] else { throw .missing(param: "session") }
      try event.read(session, name: "session")
    } else if let item = root["item"] {
      try event.read(item: item)
    }
    return event
  }

  // MARK: Parts

  /// Reads a session's or a response's settings, with the names of both API versions.
  private mutating func read(_ settings: JSONValue, name: String) throws(MeteringError) {
    guard settings.kind == .object else {
      if settings.isNull { return }
      throw .invalid(param: name, expected: "an object")
    }
    try settings.checkKeys(among: Self.settingMembers)
    for member in settings.members {
      let value = member.value
      if member.hasKey("model") {
        model = value.string
      } else if member.hasKey("max_output_tokens")
        || member.hasKey("max_response_output_tokens")
      {
        let limit = try Self.limit(value, name: name)
        // Of two limits, the larger one is held, because the provider chooses the one that counts.
        let isLarger = limit.tokens ?? .max > outputLimit?.tokens ?? .max
        if outputLimit == nil || isLarger { outputLimit = limit }
      } else if member.hasKey("input_audio_transcription") {
        transcription = try Self.transcription(value)
      } else if member.hasKey("audio") {
        try readAudio(value)
      } else if member.hasKey("prompt") {
        isOpenEnded = isOpenEnded || !value.isNull
      } else if member.hasKey("tools") {
        try read(tools: value)
      } else if member.hasKey("input") {
        for item in value.elements { try read(item: item) }
      } else {
        try otherModels.search(value, key: member.key.string ?? "")
      }
    }
  }

  private mutating func readAudio(_ audio: JSONValue) throws(MeteringError) {
    try audio.checkKeys(among: ["input"])
    for side in audio.members where !side.hasKey("input") {
      try otherModels.search(side.value, key: side.key.string ?? "")
    }
    guard let input = audio["input"] else { return }
    try input.checkKeys(among: ["transcription"])
    for member in input.members where !member.hasKey("transcription") {
      try otherModels.search(member.value, key: member.key.string ?? "")
    }
    if let transcription = input["transcription"] {
      self.transcription = try Self.transcription(transcription)
    }
  }

  /// The results of a tool that isn't the client's own are unknown.
  private mutating func read(tools: JSONValue) throws(MeteringError) {
    for tool in tools.elements {
      try tool.checkKeys(among: ["type"])
      if tool["type"]?.isString("function") != true {
        isOpenEnded = true
        try otherModels.search(tool)
      }
    }
  }

  private mutating func read(item: JSONValue) throws(MeteringError) {
    try item.checkKeys(among: ["content"])
    for part in (item["content"] ?? item).elements {
      try part.checkKeys(among: ["type", "audio", "image_url"])
      if let audio = part["audio"] {
        take(audio: audio)
      } else if part["type"]?.isString("input_image") ?? false {
        images += 1
        textBytes -= Int64(part["image_url"]?.utf8Count ?? 0)
      }
    }
  }

  /// Counts sound as sound instead of text.
  private mutating func take(audio: JSONValue?) {
    let characters = Int64(audio?.utf8Count ?? 0)
    audioCharacters += characters
    textBytes -= characters
  }

  private static func transcription(
    _ value: JSONValue
  ) throws(MeteringError) -> Transcription {
    if value.isNull { return .none }
    try value.checkKeys(among: ["model"])
    guard let model = value["model"]?.string, model.utf8.count <= RequestFacts.longestName else {
      throw .missing(param: "transcription.model")
    }
    return .by(model: model)
  }

  private static func limit(
    _ value: JSONValue, name: String
  ) throws(MeteringError) -> OutputLimit {
    if value.isString("inf") || value.isNull { return .model }
    guard let tokens = value.integer, limits.contains(tokens) else {
      throw .invalid(
        param: "\(name).max_output_tokens",
        expected: "an integer from \(limits.lowerBound) to \(limits.upperBound), or \"inf\"")
    }
    return .tokens(tokens)
  }
}
