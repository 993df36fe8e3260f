/// The relation of a member of a body, a part of a form or a parameter of a query to objects that a
/// provider keeps.
///
/// Sources: part F3 of the wire formats, which is the types of openai-python 3.57.0.
enum MemberMeaning: Hashable {
  /// Each string in it is the id of an object, at whatever depth.
  case reference(ObjectKind)
  /// A string is an id, and so is the `id` of an object.
  case holder(ObjectKind)
  /// The `id` of an object is one; a string is a text.
  case named(ObjectKind)
  /// Objects in it are items of a response or conversation; a string is a text.
  case items
  /// Objects in it have ids that the app or the model chose; a string is a text.
  case ownIDs
  /// Strings in it are texts, but objects in it are searched.
  case text
  /// Values by names that the app chose. Those that are strings are texts.
  case variables
  /// Nothing in it is ever read as a reference.
  case closed
  /// A string is an id if it has a known form of one. Messages and items have ids that the app
  /// repeats, which refer to nothing.
  case identifier
  /// A string is an id if it has a known form of one, that of a message or item too.
  case unknown

  init(ofKey key: String) {
    self.init(ofName: MemberMeaning.plainName(key))
  }

  /// - Parameter name: a key as `plainName` has it.
  init(ofName name: String) {
    self = MemberMeaning.byName[name] ?? MemberMeaning.bySuffix(name)
  }

  /// A key in lower case, as far as a NUL: some readers end there.
  static func plainName(_ key: String) -> String {
    let isPlain = key.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.allSatisfy { $0 > 0 && $0 == $0.inLowerCase }
    }
    if isPlain == true { return key }
    return String(decoding: key.utf8.prefix { $0 > 0 }.map(\.inLowerCase), as: UTF8.self)
  }

  private static func bySuffix(_ name: String) -> MemberMeaning {
    // JSON Schema says what values may be, and has none. Domains may begin as ids do.
    if name.hasSuffix("schema") { return .closed }
    return name.hasSuffix("_domains") ? .text : .unknown
  }

  /// The members by which requests refer to objects.
  static let references: [String: MemberMeaning] = [
    "file_id": .reference(.file), "file_ids": .reference(.file),
    "input_file_id": .reference(.file), "training_file": .reference(.file),
    "validation_file": .reference(.file),
    "previous_response_id": .reference(.response), "response_id": .reference(.response),
    "comparison_response_id": .reference(.response),
    "conversation": .holder(.conversation),
    "container": .holder(.container), "container_id": .reference(.container),
    "vector_store_id": .reference(.vectorStore), "vector_store_ids": .reference(.vectorStore),
    "skill_id": .reference(.skill), "part_ids": .reference(.upload),
    "tunnel_id": .reference(.prompt), "connector_id": .reference(.prompt),
    "video_id": .reference(.video),
    "characters": .holder(.video), "eval_id": .reference(.eval), "batch_id": .reference(.batch),
    "upload_id": .reference(.upload),
  ]

  /// The members with objects whose `id` is a reference.
  private static let containers: [String: MemberMeaning] = [
    "prompt": .named(.prompt), "audio": .named(.completion), "voice": .named(.prompt),
    "video": .named(.video), "source": .named(.file),
    "data_source_config": .named(.file),
    "input": .items, "items": .items, "instructions": .items, "id": .identifier,
    "tool_calls": .ownIDs, "documents": .ownIDs, "variables": .variables,
  ]

  /// The members in which an `id` is that of an object.
  static let holders: [String] = references.merging(containers) { first, _ in first }
    .compactMap { name, meaning in
      switch meaning {
      case .holder, .named, .items: name
      default: nil
      }
    }

  /// Texts for the model or about the request, and names that the app chooses.
  private static let texts: Set<String> = [
    "content", "text", "output", "description", "name", "title", "user", "safety_identifier",
    "file_data", "data", "encrypted_content", "result", "summary",
    "transcript", "refusal", "code", "logs", "stdout", "stderr", "query", "queries", "command",
    "commands", "delta", "diff", "path", "role", "type", "status", "call_id", "tool_call_id",
    "caller_id", "event_id", "filename", "prompt_cache_key", "continuation_id", "stop", "purpose",
    "object", "format", "definition", "authorization", "server_url", "server_label",
    "include", "phase", "domain", "key", "value", "namespace", "reasoning",
    "reasoning_content", "suffix", "custom_id", "endpoint", "server_description",
  ]

  /// Members that an app attaches, declares or repeats, with names of its own.
  private static let attachments: Set<String> = [
    "metadata", "annotations", "parameters", "arguments", "headers", "filters", "attributes",
    "logprobs", "logit_bias", "action", "actions", "operation", "user_location", "allowed_tools",
    "require_approval", "domain_secrets", "properties", "error",
  ]

  private static let byName: [String: MemberMeaning] = {
    var meanings = references.merging(containers) { first, _ in first }
    for name in texts { meanings[name] = .text }
    for name in attachments { meanings[name] = .closed }
    return meanings
  }()
}

extension MemberMeaning {
  /// Whether a string may name an object in a member of this meaning.
  var readsStrings: Bool {
    switch self {
    case .reference, .holder, .named(.video), .named(.file), .identifier, .unknown: true
    case .named, .items, .ownIDs, .text, .variables, .closed: false
    }
  }

  /// Whether only the form of a string tells that it is an id.
  var goesByForm: Bool { self == .unknown || self == .identifier }

  /// Whether any string is an id in a member of this meaning.
  var isReference: Bool {
    switch self {
    case .reference, .holder: true
    default: false
    }
  }

  /// The kind of object that a string names in a member of this meaning; nil where it names none.
  func kind(ofID id: String) -> ObjectKind? {
    guard readsStrings else { return nil }
    return switch self {
    case .reference(let kind), .holder(let kind): kind
    case .unknown: ObjectKind(ofID: id) ?? ObjectKind(ofAnswersID: id)
    default: ObjectKind(ofID: id)
    }
  }

  /// The meaning of a member whose object stands in a member of this meaning.
  func meaning(ofMember name: String) -> MemberMeaning {
    let own = MemberMeaning(ofName: name)
    switch (self, name) {
    case (.holder(let kind), "id"), (.named(let kind), "id"): return .reference(kind)
    case (.ownIDs, "id"): return .text
    case (.variables, _): return .text
    case (.reference, _) where own.goesByForm: return self
    default: return own
    }
  }
}
