import Testing
import Time

@testable import Reconciliation

@Suite struct OrganizationReportTests {
  private static let day = CivilDate("2026-11-22")!

  /// Reads the report of a provider that answers each URL so.
  private static func answer(
    _ get: @escaping (String) -> OrganizationReport.Response
  ) async throws(OrganizationReport.Failure) -> OrganizationReport.Answer {
    try await OrganizationReport(baseURL: "http://p/v1", days: day...day) { get($0) }.fetch()
  }

  private static func page(_ results: String, more: String = "") -> OrganizationReport.Response {
    let text = #"{"data":[{"start_time":1795305600,"results":[\#(results)]}]\#(more)}"#
    return .received(status: 200, body: Array(text.utf8))
  }

  @Test("Each part is read to its last page, and unknown parts are named")
  func parts() async throws {
    var urls: [String] = []
    let answer = try await Self.answer { url in
      urls.append(url)
      guard url.contains("usage/completions?") else { return .received(status: 404, body: nil) }
      return url.hasSuffix("&page=a%3D")
        ? Self.page(#"{"num_model_requests":2}"#)
        : Self.page(#"{"num_model_requests":1}"#, more: #","has_more":true,"next_page":"a=""#)
    }
    #expect(
      urls.first
        == "http://p/v1/organization/usage/completions?start_time=1795305600&end_time=1795392000"
        + "&bucket_width=1d&limit=31&group_by[]=model")
    #expect(answer.usage.map(\.counts) == [[.requests: 1], [.requests: 2]])
    #expect(answer.unknownPaths.count == ReportPart.usage.count && answer.costs.isEmpty)
    #expect(answer.unknownPaths.last == "costs" && answer.knownToolCalls.isEmpty)
  }

  static let failures: [(response: OrganizationReport.Response, says: String)] = [
    (.missing(reason: "nobody listens"), "nobody listens"),
    (.received(status: 500, body: []), "is answered 500"),
    (
      .received(status: 401, body: []),
      "is answered 401; allowed: an admin key of the organization"
    ),
    (.received(status: 200, body: nil), "broke off or is too large"),
    (.received(status: 200, body: []), "the answer is no page of days"),
    (page("", more: #","has_more":true,"next_page":"a""#), "has more than 1000 pages"),
  ]

  @Test("A part that can't be read is named with the reason", arguments: failures)
  func unreadable(_ response: OrganizationReport.Response, _ says: String) async {
    let failure = await #expect(throws: OrganizationReport.Failure.self) {
      try await Self.answer { _ in response }
    }
    #expect(failure?.description == "GET http://p/v1/organization/usage/completions: \(says)")
  }
}
