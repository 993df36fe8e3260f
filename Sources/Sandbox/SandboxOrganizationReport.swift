/// The report of OpenAI's organization API about usage and costs, made of the journal. It has calls
/// about text under `/v1`, turns of sessions, the lines of batches, and the tools that responses
/// used. Each is counted in the way that it would be billed.
struct SandboxOrganizationReport {
  /// A part of the report, by its path under `/organization/`.
  enum Part: String, CaseIterable {
    case completions = "usage/completions"
    case embeddings = "usage/embeddings"
    case moderations = "usage/moderations"
    case images = "usage/images"
    case speeches = "usage/audio_speeches"
    case transcriptions = "usage/audio_transcriptions"
    case webSearches = "usage/web_search_calls"
    case fileSearches = "usage/file_search_calls"
    case sessions = "usage/code_interpreter_sessions"
    case costs

    /// Whether the results can be grouped by model.
    var knowsModels: Bool { self != .fileSearches && self != .sessions && self != .costs }
  }

  private let part: Part
  private let start: Int64
  private let end: Int64
  private let limit: Int64
  /// The number of days before the first day of this page.
  private let offset: Int64

  private static let secondsPerDay: Int64 = 86_400
  private static let usualLimit: Int64 = 7
  private static let largestLimit: Int64 = 31
  private static let longestSpan: Int64 = 3_660
  /// From 1970 to the end of 9999.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799

  init(_ part: Part, query: String?) throws(ProviderError) {
    var numbers: [Substring: Int64] = [:]
    for field in (query ?? "").split(separator: "&") {
      let sides = field.split(separator: "=", maxSplits: 1)
      if field == "group_by[]=model" && !part.knowsModels {
        throw ProviderError(status: 400, message: "group_by can't be model", param: "group_by")
      }
      if sides.count == 2, let number = Int64(sides[1]) { numbers[sides[0]] = number }
    }
    guard let start = numbers["start_time"], SandboxOrganizationReport.times.contains(start) else {
      throw ProviderError(
        status: 400, message: "start_time is missing or isn't a time", param: "start_time")
    }
    self.part = part
    self.start = start
    end = min(
      numbers["end_time"] ?? start + SandboxOrganizationReport.secondsPerDay,
      start + SandboxOrganizationReport.longestSpan * SandboxOrganizationReport.secondsPerDay)
    limit = min(
      max(1, numbers["limit"] ?? SandboxOrganizationReport.usualLimit),
      SandboxOrganizationReport.largestLimit)
    offset = max(0, numbers["page"] ?? 0)
  }

  /// The page, made of these entries.
  func page(of entries: [JournalEntry]) -> JSONText {
    let days = Array(stride(from: start, to: end, by: Int(SandboxOrganizationReport.secondsPerDay)))
    let shown = days.dropFirst(Int(offset)).prefix(Int(limit))
    let next = offset + Int64(shown.count)
    let hasMore = next < days.count
    return """
      {"object":"page","data":\(shown.map { bucket($0, entries) }),"has_more":\(hasMore),
      "next_page":\(hasMore ? String(next) : nil)}
      """
  }

  private func bucket(_ day: Int64, _ entries: [JournalEntry]) -> JSONText {
    let end = day + SandboxOrganizationReport.secondsPerDay
    var sums: [Billed: Sum] = [:]
    for entry in entries where (day..<end).contains(entry.unixTime) && entry.isBilled {
      for call in entry.batchLines { add(call, isBatch: true, to: &sums) }
      guard let usage = entry.usage, let model = entry.model else { continue }
      add(SandboxBatchLine(path: entry.path, model: model, usage: usage), isBatch: false, to: &sums)
    }
    return """
      {"object":"bucket","start_time":\(day),"end_time":\(end),"results":\(results(of: sums))}
      """
  }

  private func results(of sums: [Billed: Sum]) -> [JSONText] {
    if !part.knowsModels && part != .costs {
      return sums.values.reduce(into: Sum()) { $0.add($1) }.calls(of: nil, in: part)
    }
    return sums.sorted { $0.key < $1.key }.flatMap { billed, sum in
      switch part {
      case .costs: sum.costs(of: billed)
      case .webSearches: sum.calls(of: billed.model, in: part)
      default: [sum.usage(of: billed.model, in: part)]
      }
    }
  }

  private func add(_ call: SandboxBatchLine, isBatch: Bool, to sums: inout [Billed: Sum]) {
    guard let billed = SandboxOrganizationReport.part(of: call.path) else { return }
    let isOfTools = [.webSearches, .fileSearches, .sessions].contains(part)
    guard part == .costs || part == billed || isOfTools && call.path == "/v1/responses" else {
      return
    }
    let key = Billed(
      model: SandboxTariff.snapshot(of: call.model), isBatch: isBatch && part == .costs)
    sums[key, default: Sum()].add(call.usage, withTools: call.path == "/v1/responses")
  }

  private static func part(of path: String) -> Part? {
    switch path {
    case "/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/realtime": .completions
    case "/v1/embeddings": .embeddings
    case "/v1/moderations": .moderations
    default: nil
    }
  }

  /// A model and whether it was used in a batch: each pair has its own price.
  private struct Billed: Hashable, Comparable {
    let model: String
    let isBatch: Bool

    static func < (left: Billed, right: Billed) -> Bool {
      (left.model, left.isBatch ? 1 : 0) < (right.model, right.isBatch ? 1 : 0)
    }
  }

  /// The usage of one model on one day.
  private struct Sum {
    var requests: Int64 = 0
    var input: Int64 = 0
    var cached: Int64 = 0
    var output: Int64 = 0
    var webSearches: Int64 = 0
    var fileSearches: Int64 = 0
    var sessions: Int64 = 0

    mutating func add(_ usage: SandboxUsage, withTools: Bool) {
      requests += 1
      input += usage.promptTokens
      cached += usage.cachedTokens
      output += usage.completionTokens
      guard withTools else { return }
      webSearches += usage.webSearches
      fileSearches += usage.fileSearches
      sessions += usage.containers
    }

    mutating func add(_ other: Sum) {
      requests += other.requests
      webSearches += other.webSearches
      fileSearches += other.fileSearches
      sessions += other.sessions
    }

    /// The calls of a tool in the words of its part; none if there was no call.
    func calls(of model: String?, in part: Part) -> [JSONText] {
      let (name, key, count): (String, StaticString, Int64) =
        switch part {
        case .webSearches: ("web_searches", "num_requests", webSearches)
        case .fileSearches: ("file_searches", "num_requests", fileSearches)
        default: ("code_interpreter_sessions", "num_sessions", sessions)
        }
      guard count > 0 else { return [] }
      let requests: JSONText? = part == .webSearches ? "\(requests)" : nil
      return [
        """
        {"object":\("organization.usage." + name + ".result")
        \(member: "num_model_requests", requests)\(member: key, "\(count)"),"project_id":null
        \(member: "model", part.knowsModels ? "\(model)" : nil)}
        """
      ]
    }

    func usage(of model: String, in part: Part) -> JSONText {
      let name = "organization.usage.\(part.rawValue.split(separator: "/")[1]).result"
      let others: JSONText = """
        ,"output_tokens":\(output),"input_cached_tokens":\(cached),"input_audio_tokens":0,
        "output_audio_tokens":0
        """
      return """
        {"object":\(name),"input_tokens":\(input)\(part == .completions ? others : ""),
        "num_model_requests":\(requests),"project_id":null,"user_id":null,"api_key_id":null,
        "model":\(model)}
        """
    }

    func costs(of billed: Billed) -> [JSONText] {
      guard let usual = SandboxTariff.of(billed.model) else { return [] }
      let tariff = billed.isBatch ? usual.ofBatches : usual
      let model = billed.model
      let lines = [
        ("\(model), input", (input - cached) * tariff.input),
        ("\(model), cached input", cached * tariff.cachedInput),
        ("\(model), output", output * tariff.output),
        ("web search tool calls", webSearches * tariff.webSearch),
        ("file search tool calls", fileSearches * SandboxTariff.fileSearch),
        ("code interpreter sessions", sessions * SandboxTariff.containerSession),
      ]
      // Providers write a number with an exponent, which is exact only as text.
      return lines.filter { $0.1 > 0 }.map { name, nanoUSD in
        """
        {"object":"organization.costs.result","amount":{"value":\(nanoUSD)e-9,"currency":"usd"},
        "line_item":\(name),"project_id":null}
        """
      }
    }
  }
}

extension JournalEntry {
  /// Whether the entry is an answer that was sent whole, or a turn of a session.
  fileprivate var isBilled: Bool { status == 200 || status == 101 }
}
