import JSON
public import Objects
public import Pricing

/// The usage that an answer reports.
public struct UsageReport: Sendable, Hashable {
  /// The usage that the provider reported; nil if it reported nothing usable. With a `breakdown`,
  /// its sum.
  public internal(set) var usage: Usage?
  /// The model that answered, which is billed. It may differ from the requested model.
  public internal(set) var responseModel: String?
  /// The service tier that answered, which is billed.
  public internal(set) var serviceTier: String?
  /// Whether the answer is an error, or became one midway.
  public internal(set) var isError = false
  /// UTF-8 bytes of all text in the answer, for estimates: content, visible reasoning, refusals,
  /// transcripts, tool calls.
  public internal(set) var outputTextBytes: Int64 = 0
  /// The approximate number of audio tokens in the answer, for estimates of answers whose sound
  /// comes with its text.
  public internal(set) var outputAudioTokens: Int64 = 0
  /// The usage of each of several models. It is billed instead of `usage`; usually empty.
  public internal(set) var breakdown: [ModelUsage] = []
  /// Calls that are billed separately from tokens, by name.
  public internal(set) var extraCalls: [ExtraCall] = []
  /// The containers whose sessions are among `extraCalls`, without duplicates and without
  /// containers that have no ID.
  public internal(set) var containers: [UsedContainer] = []
  /// Whether the provider's counts contradicted each other and were adjusted. An adjustment never
  /// lowers the charge.
  public internal(set) var isUsageAdjusted = false
  /// Whether the answer, or one of its events, isn't in the expected format.
  public internal(set) var isUnreadable = false
  /// Whether the answer has a member that metering reads twice, so that it can be read in more than
  /// one way. `usage` is one of the readings.
  public internal(set) var isAmbiguous = false
  /// The work that the provider continues after the answer, or has ended; nil if the answer is
  /// complete.
  public internal(set) var work: ProviderWork?

  /// The objects that the provider keeps from the answer and later requests can name, without
  /// duplicates.
  public internal(set) var madeObjects: [MadeObject] = []

  /// The tokens by which the reported total exceeds input plus output.
  var unlistedTokens: Int64 = 0

  init() {}

  /// Returns the report with all billed tokens in `usage`, according to the provider's dialect.
  public func completed(by dialect: ProviderDialect) -> UsageReport {
    guard dialect.countsThoughtsInTotalOnly, let usage,
      let completed = usage.adding(reasoning: unlistedTokens)
    else { return self }
    var report = self
    report.usage = completed
    report.unlistedTokens = 0
    return report
  }
}

extension Usage {
  /// Returns the usage plus this many reasoning tokens in the output.
  fileprivate func adding(reasoning tokens: Int64) -> Usage? {
    guard let thoughts = Usage(outputTokens: tokens, reasoningTokens: tokens) else { return nil }
    return Usage.sum(of: [self, thoughts])
  }
}

/// The usage of one model in an answer that several models made.
public struct ModelUsage: Sendable, Hashable {
  public let model: String
  public let usage: Usage
}

/// Calls of one kind that are billed separately from tokens.
public struct ExtraCall: Sendable, Hashable {
  /// The provider's name for the kind.
  public let name: String
  public internal(set) var count: Int64
  /// The name of its price in a pricing file's `surcharges`; nil for an unknown kind, which is
  /// charged the highest surcharge.
  public let surcharge: String?
}

extension [ExtraCall] {
  /// Counts one more call of a kind.
  mutating func add(_ name: String, surcharge: String?) {
    if let known = firstIndex(where: { $0.name == name }) {
      self[known].count += 1
    } else {
      append(ExtraCall(name: name, count: 1, surcharge: surcharge))
    }
  }
}

extension Endpoints {
  /// Returns the separately priced quantities that answers of an operation's endpoints can report
  /// besides input and output.
  ///
  /// - Parameter operation: A model's operation in the price book. The endpoint of responses also
  ///   serves models of `chat`.
  public static func reportableQuantities(of operation: Operation) -> Set<PricedQuantity> {
    let operations = operation == .chat ? [operation, .responses] : [operation]
    return metered.filter { operations.contains($0.operation) }
      .reduce(into: []) { $0.formUnion($1.answer.reportableDetails) }
  }

  /// Whether requests of an operation can have the provider run tools.
  public static func runsTools(_ operation: Operation) -> Bool {
    metered.contains { $0.operation == operation && $0.request.takesTools }
  }
}

extension RequestFormat {
  fileprivate var takesTools: Bool {
    if case .json(let fields) = self { fields.values.contains(.tools) } else { false }
  }
}

/// Gathers the objects that an answer shows, whole or event by event.
struct ShownObjects {
  /// The objects without duplicates, in the order in which they were shown.
  private(set) var objects: [MadeObject] = []
  private var seen: Set<MadeObject> = []
  /// The number of objects that `take` has returned.
  private var takenCount = 0

  /// Notes the objects at these places of an answer, an event or a part of one.
  mutating func note(_ value: JSONValue, at places: [(place: String, kind: ObjectKind)]) {
    for object in MadeObjects.inAnswer(value, at: places) where seen.insert(object).inserted {
      objects.append(object)
    }
  }

  /// Returns the objects that were noted since the last call.
  mutating func take() -> [MadeObject] {
    guard takenCount < objects.count else { return [] }
    defer { takenCount = objects.count }
    return Array(objects[takenCount...])
  }
}
