internal import JSON

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
  func page(of entries: [JournalEntry]) -> [UInt8] {
    let days = Array(stride(from: start, to: end, by: Int(SandboxOrganizationReport.secondsPerDay)))
    let shown = days.dropFirst(Int(offset)).prefix(Int(limit))
    let next = offset + Int64(shown.count)
    var writer = JSONWriter()
    writer.object { page in
      page.member("object", "page")
      page.member("data") { data in
        data.array { data in
          for day in shown { write(day, entries, to: &data) }
        }
      }
      page.member("has_more", next < days.count)
      page.member("next_page", next < days.count ? "\(next)" : nil)
    }
    return writer.bytes
  }

  private func write(_ day: Int64, _ entries: [JournalEntry], to data: inout JSONWriter) {
    let end = day + SandboxOrganizationReport.secondsPerDay
    var sums: [Billed: Sum] = [:]
    for entry in entries where (day..<end).contains(entry.unixTime) && entry.isBilled {
      for call in entry.batchLines { add(call, isBatch: true, to: &sums) }
      guard let usage = entry.usage, let model = entry.model else { continue }
      add(SandboxBatchLine(path: entry.path, model: model, usage: usage), isBatch: false, to: &sums)
    }
    data.object { bucket in
      bucket.member("object", "bucket")
      bucket.member("start_time", day)
      bucket.member("end_time", end)
      bucket.member("results") { results in
        results.array { results in
          if !part.knowsModels && part != .costs {
            let all = sums.values.reduce(into: Sum()) { $0.add($1) }
            return all.writeCalls(of: nil, in: part, to: &results)
          }
          for (billed, sum) in sums.sorted(by: { $0.key < $1.key }) {
            switch part {
            case .costs: sum.writeCosts(of: billed, to: &results)
            case .webSearches: sum.writeCalls(of: billed.model, in: part, to: &results)
            default: sum.writeUsage(of: billed.model, in: part, to: &results)
            }
          }
        }
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

    /// Writes the calls of a tool in the words of its part.
    func writeCalls(of model: String?, in part: Part, to results: inout JSONWriter) {
      let (name, key, count) =
        switch part {
        case .webSearches: ("web_searches", "num_requests", webSearches)
        case .fileSearches: ("file_searches", "num_requests", fileSearches)
        default: ("code_interpreter_sessions", "num_sessions", sessions)
        }
      guard count > 0 else { return }
      results.object { result in
        result.member("object", "organization.usage.\(name).result")
        if part == .webSearches { result.member("num_model_requests", requests) }
        result.member(key, count)
        result.member("project_id", nil)
        if part.knowsModels { result.member("model", model) }
      }
    }

    func writeUsage(of model: String, in part: Part, to results: inout JSONWriter) {
      results.object { result in
        let name = part.rawValue.split(separator: "/")[1]
        result.member("object", "organization.usage.\(name).result")
        result.member("input_tokens", input)
        if part == .completions {
          result.member("output_tokens", output)
          result.member("input_cached_tokens", cached)
          result.member("input_audio_tokens", 0)
          result.member("output_audio_tokens", 0)
        }
        result.member("num_model_requests", requests)
        for group in ["project_id", "user_id", "api_key_id"] { result.member(group, nil) }
        result.member("model", model)
      }
    }

    func writeCosts(of billed: Billed, to results: inout JSONWriter) {
      guard let usual = SandboxTariff.of(billed.model) else { return }
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
      for (name, nanoUSD) in lines where nanoUSD > 0 {
        results.object { result in
          result.member("object", "organization.costs.result")
          result.member("amount") { amount in
            amount.object {
              // Providers write a number with an exponent, which is exact only as text.
              $0.member("value") { $0.raw("\(nanoUSD)e-9".utf8) }
              $0.member("currency", "usd")
            }
          }
          result.member("line_item", name)
          result.member("project_id", nil)
        }
      }
    }
  }
}

extension JournalEntry {
  /// Whether the entry is an answer that was sent whole, or a turn of a session.
  fileprivate var isBilled: Bool { status == 200 || status == 101 }
}
