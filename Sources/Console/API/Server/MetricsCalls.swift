internal import EventLoop
internal import Metrics

/// `/metrics`: the metrics in Prometheus' text format.
enum MetricsCalls {
  static var routes: [APIRoute] {
    [
      APIRoute(
        .get, "/metrics", .scraper, "Writes the metrics in Prometheus' text format",
        answers: .text(mediaType: "text/plain"), handler: metrics)
    ]
  }

  private static func metrics(_ call: Call) -> Answer {
    let pages = Lock(
      MetricsPages<ExpositionWriter>(
        of: call.server, showsProviderCosts: call.showsProviderCosts, at: call.now))
    var answer = Answer(status: 200, body: [])
    answer.contentType = ExpositionWriter.contentType
    answer.rest = { () throws(APIError) in
      pages.withLock { pages in
        var writer = ExpositionWriter()
        return pages.writeNext(to: &writer) ? writer.bytes : nil
      }
    }
    return answer
  }
}
