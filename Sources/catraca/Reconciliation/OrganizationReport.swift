internal import Configuration
internal import EventLoop
internal import Time
internal import Upstream

/// Asks OpenAI what its organization has used, page by page.
struct OrganizationReport {
  let caller: ServiceCaller
  let provider: Provider
  let key: Secret
  let days: ClosedRange<CivilDate>

  /// Days of one page: the most that usage is told for.
  private static let pageDays = 31
  private static let mostPages = 1_000
  private static let patience = Duration.seconds(60)

  struct Answer {
    var usage: [UsagePage.Result] = []
    var costs: [UsagePage.Result] = []
    /// Parts that the provider doesn't know.
    var unknownParts: [ReportPart] = []

    /// The figures of tools that can be compared.
    var knownToolCalls: Set<ReconciledQuantity> {
      Set(ReconciledQuantity.ofTools).subtracting(
        unknownParts.flatMap(\.members).map(\.quantity))
    }
  }

  func fetch() async throws(CommandError) -> Answer {
    var answer = Answer()
    for part in ReportPart.usage {
      if let results = try await results(of: part) {
        answer.usage += results
      } else {
        answer.unknownParts.append(part)
      }
    }
    if let costs = try await results(of: .costs) {
      answer.costs = costs
    } else {
      answer.unknownParts.append(.costs)
    }
    return answer
  }

  /// Nil where there is no such part.
  private func results(of part: ReportPart) async throws(CommandError) -> [UsagePage.Result]? {
    var results: [UsagePage.Result] = []
    var cursor: String?
    for _ in 0..<OrganizationReport.mostPages {
      guard let page = try await page(of: part, cursor) else { return nil }
      results += page.results
      guard let next = page.next else { return results }
      cursor = next
    }
    throw failed(part, "has more than \(OrganizationReport.mostPages) pages")
  }

  private func page(
    of part: ReportPart, _ cursor: String?
  ) async throws(CommandError) -> UsagePage? {
    let start = TimeZoneRules.utc.startOfDay(days.lowerBound).milliseconds / 1_000
    let end = TimeZoneRules.utc.startOfDay(days.upperBound).milliseconds / 1_000 + 86_400
    var url = "\(provider.baseURL)/organization/\(part.path)?start_time=\(start)&end_time=\(end)"
    url += "&bucket_width=1d&limit=\(OrganizationReport.pageDays)"
    if let group = part.group { url += "&group_by[]=\(group)" }
    if let cursor { url += "&page=\(OrganizationReport.encoded(cursor))" }
    let result = await caller.get(
      url, bearer: key, authorities: provider.caFile, within: OrganizationReport.patience)
    switch result {
    case .failure(let error): throw failed(part, "\(error)")
    case .success(let answer) where answer.status == 404: return nil
    case .success(let answer):
      guard answer.status == 200 else {
        let isRefused = answer.status == 401 || answer.status == 403
        throw failed(
          part,
          "is answered \(answer.status)"
            + (isRefused ? "; allowed: an admin key of the organization" : ""))
      }
      guard let body = answer.body else { throw failed(part, "broke off or is too large") }
      do throws(UsagePage.Mistake) {
        return try UsagePage(body, part.members)
      } catch {
        throw failed(part, error.description)
      }
    }
  }

  private func failed(_ part: ReportPart, _ what: String) -> CommandError {
    .failed("reconcile: GET \(provider.baseURL)/organization/\(part.path): \(what)")
  }

  /// Everything but letters and digits as an escape of URLs.
  private static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        String(UnicodeScalar(byte))
      default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
