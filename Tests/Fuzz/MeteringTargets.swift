import Audio
import HTTP
import JSON
import Metering
import Pricing

/// A request or an answer of an endpoint. The first line of an input is the endpoint's path, and
/// the body's content type where it has one: `/v1/chat/completions application/json`.
private struct Exchange {
  let endpoint: Endpoint
  let contentType: String
  let body: [UInt8]

  /// Nil where the path isn't that of a metered endpoint with bodies.
  init?(_ input: [UInt8]) {
    let (line, rest) = headed(input)
    let words = line.split(separator: " ", maxSplits: 1)
    guard let path = words.first,
      case .metered(let endpoint) = Endpoints.classify(method: "POST", path: String(path)),
      !endpoint.isWebSocket
    else { return nil }
    self.endpoint = endpoint
    contentType = words.count > 1 ? String(words[1]) : ""
    body = rest
  }

  /// The facts of a request that says nothing more than the model.
  var facts: RequestFacts { RequestFacts(operation: endpoint.operation, model: "m") }
}

/// Bodies of requests.
enum RequestBodies {
  static func check(_ input: [UInt8]) {
    guard let exchange = Exchange(input) else { return }
    let parser = JSONParser()
    guard
      let facts = try? RequestFacts.read(
        exchange.body, contentType: exchange.contentType, endpoint: exchange.endpoint,
        parser: parser)
    else { return }
    require(!facts.model.isEmpty, "a request names its model")
    // The limit is for each of its texts, and it has at most one text a byte.
    let texts = Int64(max(1, exchange.body.count))
    require(
      (1...RequestFacts.choicesAllowed.upperBound * texts).contains(facts.choices),
      "choices are limited")
    require(
      facts.outputLimit ?? 0 >= 0 && facts.characters >= 0 && facts.audioMilliseconds >= 0
        && facts.images >= 0 && facts.calls >= 0, "no quantity is negative")
    checkRewrite(of: exchange, facts, parser)
  }

  /// Checks that the body that is sent instead asks for the same, and for usage.
  private static func checkRewrite(
    of exchange: Exchange, _ facts: RequestFacts, _ parser: JSONParser
  ) {
    let rewrite = RequestRewrite(
      for: facts, endpoint: exchange.endpoint, dialect: .compatible,
      outputLimit: exchange.endpoint.takesOutputLimit && facts.outputLimit == nil ? 7 : nil,
      callLimit: facts.lacksCallLimit ? 3 : nil)
    guard
      let sent = try? rewrite.applied(
        to: exchange.body, endpoint: exchange.endpoint, parser: parser)
    else { preconditionFailure("a body that was read can be changed") }
    guard !MultipartForm.isFormType(exchange.contentType) else { return }
    guard let read = try? RequestFacts.read(sent, endpoint: exchange.endpoint, parser: parser)
    else { preconditionFailure("a body that was changed can be read") }
    require(
      read.model == facts.model && read.stream == facts.stream && read.choices == facts.choices,
      "a changed body asks for the same")
    require(
      rewrite.outputLimit == nil || read.outputLimit == rewrite.outputLimit,
      "a limit that was set is in force")
    require(rewrite.callLimit == nil || read.calls == 3, "a limit of calls is in force")
    require(!rewrite.addsUsage || read.asksForUsage, "usage is asked for")
  }
}

/// Bodies of answers.
enum AnswerBodies {
  static func check(_ input: [UInt8]) {
    guard let exchange = Exchange(input) else { return }
    let parser = JSONParser()
    for status in [200, 429] {
      checkParts(
        AnswerMeter.read(
          exchange.body, status: status, to: exchange.facts, endpoint: exchange.endpoint,
          parser: parser))
    }
    let line = BatchResult(
      exchange.body, to: exchange.facts, endpoint: exchange.endpoint, parser: parser)
    if let line { checkParts(line.report) }
    if let batch = BatchObject(exchange.body, parser: parser) {
      require(batch.resultFileIDs.count <= 2, "a batch has two files of results")
    }
  }

  /// Parts of usage never exceed what contains them, and nothing is negative.
  static func checkParts(_ report: UsageReport) {
    guard let usage = report.usage else { return }
    require(
      usage.inputTokens >= 0 && usage.outputTokens >= 0
        && usage.cachedInputTokens >= 0 && usage.reasoningTokens >= 0
        && usage.audioMilliseconds >= 0 && usage.images >= 0 && usage.calls >= 0,
      "no quantity is negative")
    require(
      usage.cachedInputTokens <= usage.inputTokens && usage.reasoningTokens <= usage.outputTokens,
      "a part is within its whole")
  }
}

/// Streamed answers.
enum AnswerStreams {
  static func check(_ input: [UInt8]) {
    guard let exchange = Exchange(input) else { return }
    var facts = exchange.facts
    facts.stream = true
    let open = pass(exchange, facts, hidesUsage: false, pieceSize: max(1, exchange.body.count))
    require(open.output == exchange.body, "a client that asked for usage gets every byte")
    checkParts(open)
    for hidesUsage in [false, true] {
      let bytewise = pass(exchange, facts, hidesUsage: hidesUsage, pieceSize: 1)
      let whole = pass(
        exchange, facts, hidesUsage: hidesUsage, pieceSize: max(1, exchange.body.count))
      require(bytewise == whole, "a stream doesn't depend on how it is cut")
    }
  }

  private struct Passage: Equatable {
    var output: [UInt8] = []
    var end: StreamEnd
  }

  private static func checkParts(_ passage: Passage) {
    AnswerBodies.checkParts(passage.end.report)
  }

  private static func pass(
    _ exchange: Exchange, _ facts: RequestFacts, hidesUsage: Bool, pieceSize: Int
  ) -> Passage {
    var meter = StreamMeter(
      endpoint: exchange.endpoint, facts: facts, hidesUsage: hidesUsage, parser: JSONParser())
    var output: [UInt8] = []
    // In turns, as a relay has them.
    var arrived: [UInt8] = []
    var passing: [UInt8] = []
    for start in stride(from: 0, to: exchange.body.count, by: pieceSize) {
      arrived.removeAll(keepingCapacity: true)
      arrived += exchange.body[start..<min(start + pieceSize, exchange.body.count)]
      passing.removeAll(keepingCapacity: true)
      _ = meter.receive(&arrived, into: &passing)
      output += passing
    }
    let end = meter.finish()
    meter.takeWithheld(into: &output)
    return Passage(output: output, end: end)
  }
}

/// Events of realtime sessions, one to a line.
enum RealtimeEvents {
  static func check(_ input: [UInt8]) {
    let parser = JSONParser()
    var meter = RealtimeMeter()
    for line in input.split(separator: UInt8(ascii: "\n")) {
      let event = try? RealtimeClientEvent.read(Array(line), parser: parser)
      if let event {
        require(
          event.textBytes >= 0 && event.audioCharacters >= 0 && event.images >= 0,
          "no quantity is negative")
      }
      guard let root = try? parser.parse(Array(line)), root.kind == .object else { continue }
      meter.read(root)
      _ = RealtimeServerEvent.read(root)
    }
    AnswerBodies.checkParts(meter.report)
  }
}

/// Sound whose length is measured.
enum AudioFiles {
  static func check(_ input: [UInt8]) {
    let lengths = [
      AudioDuration.milliseconds(of: input.span), AudioDuration.boundMilliseconds(of: input.span),
    ]
    for length in lengths.compactMap({ $0 }) {
      require((1...AudioDuration.longestMilliseconds).contains(length), "a length is in its range")
    }
  }
}
