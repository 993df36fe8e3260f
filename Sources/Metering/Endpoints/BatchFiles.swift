public import JSON
public import Objects
internal import Pricing

/// The contents of a request for a batch: the file of its requests, and the endpoint of all of
/// them.
public struct BatchRequest: Sendable {
  public let inputFileID: String
  public let endpoint: Endpoint
  /// The objects that the request names, including its input file.
  public let references: [ObjectReference]

  /// - Throws: `MeteringError`, which the client gets as its answer. The request must not be
  ///   forwarded then.
  public init(_ body: [UInt8], parser: JSONParser) throws(MeteringError) {
    let root: JSONValue
    do { root = try parser.parse(body) } catch { throw .notJSON(error) }
    guard root.kind == .object else { throw .notAnObject }
    try root.checkKeys()
    guard let fileID = root["input_file_id"] else { throw .missing(param: "input_file_id") }
    guard let id = fileID.string, MadeObject.isID(id) else {
      throw .invalid(param: "input_file_id", expected: "the id of a file")
    }
    guard let path = root["endpoint"] else { throw .missing(param: "endpoint") }
    guard let endpoint = Endpoints.batchable.first(where: { path.isString($0.path) }) else {
      let allowed = Endpoints.batchable.map(\.path).joined(separator: ", ")
      throw .invalid(param: "endpoint", expected: "one of \(allowed)")
    }
    inputFileID = id
    self.endpoint = endpoint
    references = try MeteringError.references { () throws(TooManyReferences) in
      try ObjectReferences.inBody(root)
    }
  }
}

/// A line of a batch's input file, which is a request.
public struct BatchLine: Sendable {
  public let facts: RequestFacts
  /// The line's name in the results; nil if it has none.
  public let id: String?

  /// Reads a line.
  ///
  /// - Parameter ownBeginning: The prefix that Catraca puts before the client's cache names
  ///   elsewhere, including the colon. A file can't be changed, so a name with another such prefix
  ///   is refused: it could be another client's name. Nil if the account belongs to one client.
  /// - Throws: `MeteringError`, if the line can't be metered.
  public init(
    _ line: [UInt8], endpoint: Endpoint, parser: JSONParser, ownBeginning: String? = nil
  ) throws(MeteringError) {
    let root: JSONValue
    do { root = try parser.parse(line) } catch { throw .notJSON(error) }
    guard let object = JSONLocatedObject(root: root) else { throw .notAnObject }
    try root.checkKeys()
    guard root["method"]?.isString("POST") ?? false else {
      throw .invalid(param: "method", expected: "\"POST\"")
    }
    guard root["url"]?.isString(endpoint.path) ?? false else {
      throw .invalid(param: "url", expected: "the batch's endpoint, \"\(endpoint.path)\"")
    }
    guard let body = object.member("body") else { throw .missing(param: "body") }
    // The line's text must be read before the body is parsed.
    id = root["custom_id"]?.string
    var facts = try RequestFacts.read(
      Array(line[body.valueRange]), endpoint: endpoint, parser: parser)
    guard !facts.isBackground else {
      throw .unsupported(
        param: "background", reason: "A batch's results don't show the usage of such a response.")
    }
    if let ownBeginning, facts.hasOwnNames {
      try BatchLine.checkNames(in: line, ownBeginning, parser: parser)
    }
    facts.stream = false
    // Moderation is free, and has no batch price.
    if facts.operation != .moderation { facts.serviceTier = BatchLine.tier }
    self.facts = facts
  }

  private static let colon = UInt8(ascii: ":")

  private static func checkNames(
    in line: [UInt8], _ ownBeginning: String, parser: JSONParser
  ) throws(MeteringError) {
    let root: JSONValue
    do { root = try parser.parse(line) } catch { throw .notJSON(error) }
    let body = root["body"]
    let names = [
      ("prompt_cache_key", body?["prompt_cache_key"]),
      (
        "background_options.continuation_id", body?["background_options"]?["continuation_id"]
      ),
    ]
    for (param, value) in names {
      guard let name = value?.string, name.utf8.contains(colon),
        !name.utf8.starts(with: ownBeginning.utf8)
      else { continue }
      throw .invalid(
        param: param,
        expected: "with '\(ownBeginning)' in front or without a colon in a batch's file")
    }
  }

  /// The service tier that bills all requests of a batch, regardless of the tier that they name.
  public static let tier = "batch"
}

/// A line of a batch's results, which answers one request.
public struct BatchResult: Sendable {
  /// The line's own ID; nil if it has none.
  public let lineID: String?
  /// The answer's status; nil if the request was never made.
  public let status: Int?
  public let report: UsageReport

  /// Returns nil if the line can't be read.
  public init?(
    _ line: [UInt8], to facts: RequestFacts, endpoint: Endpoint, parser: JSONParser
  ) {
    guard let root = try? parser.parse(line), root.kind == .object else { return nil }
    lineID = root["custom_id"]?.string
    status = root["response"]?["status_code"]?.integer.map { Int(clamping: $0) }
    let isAmbiguous = root.isAmbiguousAnswer
    let isError = status ?? 0 >= 400 && !isAmbiguous
    var reader: any AnswerReader =
      isError ? ErrorAnswer(for: facts) : endpoint.answer.init(for: facts)
    if isAmbiguous { reader.members.noteAmbiguous() }
    if let body = root["response"]?["body"], body.kind == .object {
      reader.read(answer: body)
    } else {
      reader.noteUnreadable()
    }
    var report = reader.report
    report.serviceTier = facts.operation == .moderation ? nil : BatchLine.tier
    self.report = report
  }
}

/// A batch as its provider shows it.
public struct BatchObject: Sendable {
  public let work: ProviderWork
  /// The file with the requests; nil if the batch doesn't name it.
  public let inputFileID: String?
  /// The file with the answers, which cost money.
  public let outputFileID: String?
  public let errorFileID: String?
  /// The number of requests; nil if the batch doesn't report it.
  public let requestCount: Int64?
  public let answeredRequests: Int64?
  /// The endpoint of its requests; nil if it isn't known.
  public let endpoint: Endpoint?

  /// Returns nil if the body isn't a batch.
  public init?(_ body: [UInt8], parser: JSONParser) {
    guard let root = try? parser.parse(body), let work = ProviderWork(root) else { return nil }
    self.work = work
    inputFileID = BatchObject.fileID(root["input_file_id"])
    outputFileID = BatchObject.fileID(root["output_file_id"])
    errorFileID = BatchObject.fileID(root["error_file_id"])
    requestCount = root["request_counts"]?["total"]?.integer
    answeredRequests = root["request_counts"]?["completed"]?.integer
    endpoint = root["endpoint"].flatMap { path in
      Endpoints.batchable.first { path.isString($0.path) }
    }
  }
}

extension BatchObject {
  private static func fileID(_ value: JSONValue?) -> String? {
    value?.string.flatMap { MadeObject.isID($0) ? $0 : nil }
  }

  /// The files of the results, the file with answers first.
  public var resultFileIDs: [String] { [outputFileID, errorFileID].compactMap(\.self) }

  /// Whether requests were answered but no file shows the answers.
  public var lacksAnswers: Bool { outputFileID == nil && answeredRequests ?? 0 > 0 }
}

/// Reads the answer to a request for a batch. The provider continues the batch after this answer.
struct BatchAnswer: AnswerReader {
  var members = AnswerMembers()
  private var work: ProviderWork?
  private var shown = ShownObjects()

  init(for facts: RequestFacts) {}

  mutating func read(answer root: JSONValue) {
    work = ProviderWork(root)
    shown.note(root, at: ObjectEndpoints.madeWithBatch)
    for member in root.members { _ = members.read(member) }
  }

  var report: UsageReport {
    var report = members.report()
    report.work = work
    report.madeObjects = shown.objects
    return report
  }
}
