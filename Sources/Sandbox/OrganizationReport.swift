internal import JSON

/// What OpenAI's API of an organization says of its use and costs, of what the journal has: calls
/// about text under `/v1`, each counted as it would be billed.
struct OrganizationReport {
  /// A part of the report, by its path under `/organization/`.
  enum Part: String, CaseIterable {
    case completions = "usage/completions"
    case embeddings = "usage/embeddings"
    case moderations = "usage/moderations"
    case images = "usage/images"
    case speeches = "usage/audio_speeches"
    case transcriptions = "usage/audio_transcriptions"
    case costs
  }

  private let part: Part
  private let start: Int64
  private let end: Int64
  private let limit: Int64
  /// How many days come before the first of this page.
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
      if sides.count == 2, let number = Int64(sides[1]) { numbers[sides[0]] = number }
    }
    guard let start = numbers["start_time"], OrganizationReport.times.contains(start) else {
      throw ProviderError(
        status: 400, message: "start_time is missing, or is no time", param: "start_time")
    }
    self.part = part
    self.start = start
    end = min(
      numbers["end_time"] ?? start + OrganizationReport.secondsPerDay,
      start + OrganizationReport.longestSpan * OrganizationReport.secondsPerDay)
    limit = min(
      max(1, numbers["limit"] ?? OrganizationReport.usualLimit), OrganizationReport.largestLimit)
    offset = max(0, numbers["page"] ?? 0)
  }

  /// The page, made of these entries.
  func page(of entries: [JournalEntry]) -> [UInt8] {
    let days = Array(stride(from: start, to: end, by: Int(OrganizationReport.secondsPerDay)))
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
    let end = day + OrganizationReport.secondsPerDay
    var sums: [String: Sum] = [:]
    for entry in entries where (day..<end).contains(entry.unixTime) && entry.status == 200 {
      guard let usage = entry.usage, let model = entry.model,
        let billed = OrganizationReport.part(of: entry.path), part == .costs || part == billed
      else { continue }
      sums[SandboxTariff.snapshot(of: model), default: Sum()].add(usage)
    }
    data.object { bucket in
      bucket.member("object", "bucket")
      bucket.member("start_time", day)
      bucket.member("end_time", end)
      bucket.member("results") { results in
        results.array { results in
          for (model, sum) in sums.sorted(by: { $0.key < $1.key }) {
            if part == .costs {
              sum.writeCosts(of: model, to: &results)
            } else {
              sum.writeUsage(of: model, in: part, to: &results)
            }
          }
        }
      }
    }
  }

  private static func part(of path: String) -> Part? {
    switch path {
    case "/v1/chat/completions", "/v1/completions", "/v1/responses": .completions
    case "/v1/embeddings": .embeddings
    case "/v1/moderations": .moderations
    default: nil
    }
  }

  /// What one model was used for on a day.
  private struct Sum {
    var requests: Int64 = 0
    var input: Int64 = 0
    var cached: Int64 = 0
    var output: Int64 = 0

    mutating func add(_ usage: SandboxUsage) {
      requests += 1
      input += usage.promptTokens
      cached += usage.cachedTokens
      output += usage.completionTokens
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

    func writeCosts(of model: String, to results: inout JSONWriter) {
      guard let tariff = SandboxTariff.of(model) else { return }
      let lines = [
        ("input", (input - cached) * tariff.input), ("cached input", cached * tariff.cachedInput),
        ("output", output * tariff.output),
      ]
      for (name, nanoUSD) in lines where nanoUSD > 0 {
        results.object { result in
          result.member("object", "organization.costs.result")
          result.member("amount") { amount in
            amount.object {
              // As providers do: a number with an exponent, of which only the text is exact.
              $0.member("value") { $0.raw("\(nanoUSD)e-9".utf8) }
              $0.member("currency", "usd")
            }
          }
          result.member("line_item", "\(model), \(name)")
          result.member("project_id", nil)
        }
      }
    }
  }
}
