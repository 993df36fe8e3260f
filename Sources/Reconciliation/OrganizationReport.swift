public import Time

/// Asks OpenAI what its organization has used, page by page.
public struct OrganizationReport {
  /// The outcome of a GET.
  public enum Response: Sendable {
    /// A response of any status; the body is nil if it broke off or was too large.
    case received(status: Int, body: [UInt8]?)
    case missing(reason: String)
  }

  /// The reason why the report can't be read: the part of it, and what is wrong.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let baseURL: String
  private let days: ClosedRange<CivilDate>
  private let get: (_ url: String) async -> Response

  /// - Parameters:
  ///   - baseURL: the provider's, up to and with its version, such as `/v1`.
  ///   - days: in UTC.
  ///   - get: makes a GET of a URL with an admin key of the organization.
  public init(
    baseURL: String, days: ClosedRange<CivilDate>,
    get: @escaping (_ url: String) async -> Response
  ) {
    self.baseURL = baseURL
    self.days = days
    self.get = get
  }

  /// Days of one page: the most that usage is told for.
  private static let pageDays = 31
  private static let mostPages = 1_000

  /// The provider's figures for the days.
  public struct Answer: Sendable {
    var usage: [UsagePage.Result] = []
    var costs: [UsagePage.Result] = []
    /// Parts that the provider doesn't know.
    var unknownParts: [ReportPart] = []

    /// The paths of the parts that the provider doesn't know, below `/organization`.
    public var unknownPaths: [String] { unknownParts.map(\.path) }

    /// The figures of tools that can be compared.
    var knownToolCalls: Set<ReconciledQuantity> {
      Set(ReconciledQuantity.ofTools).subtracting(
        unknownParts.flatMap(\.members).map(\.quantity))
    }
  }

  /// Reads all parts of the report.
  /// - Throws: `Failure` if a part can't be read. A part that the provider doesn't know isn't a
  ///   failure: the answer lists it.
  public func fetch() async throws(Failure) -> Answer {
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
  private func results(of part: ReportPart) async throws(Failure) -> [UsagePage.Result]? {
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
  ) async throws(Failure) -> UsagePage? {
    let start = TimeZoneRules.utc.startOfDay(days.lowerBound).milliseconds / 1_000
    let end = TimeZoneRules.utc.startOfDay(days.upperBound).milliseconds / 1_000 + 86_400
    var url = "\(baseURL)/organization/\(part.path)?start_time=\(start)&end_time=\(end)"
    url += "&bucket_width=1d&limit=\(OrganizationReport.pageDays)"
    if let group = part.group { url += "&group_by[]=\(group)" }
    if let cursor { url += "&page=\(OrganizationReport.encoded(cursor))" }
    switch await get(url) {
    case .missing(let reason): throw failed(part, reason)
    case .received(status: 404, body: _): return nil
    case .received(let status, let body):
      guard status == 200 else {
        let isRefused = status == 401 || status == 403
        throw failed(
          part,
          "is answered \(status)"
            + (isRefused ? "; allowed: an admin key of the organization" : ""))
      }
      guard let body else { throw failed(part, "broke off or is too large") }
      do throws(UsagePage.Mistake) {
        return try UsagePage(body, part.members)
      } catch {
        throw failed(part, error.description)
      }
    }
  }

  private func failed(_ part: ReportPart, _ what: String) -> Failure {
    Failure(description: "GET \(baseURL)/organization/\(part.path): \(what)")
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
