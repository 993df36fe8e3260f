internal import HTTP
internal import Pages
internal import Time

/// The page that tells a browser why it doesn't get the page that it asked for.
struct RefusedPage {
  let error: APIError
  let head: RequestHead

  var answer: Answer {
    let preferences = Preferences(head.fields)
    let reader = Reader(language: preferences.language)
    let content: HTML = #"""
      <div class="card"><h1>\#(reader(.notDone))</h1>\#
      <p>\#(reader(error.explanation))</p>\#(leadsOn ? wayBack(reader) : "")</div>
      """#
    var answer = Answer(
      page: PageFrame(reader(.notDone), for: reader, theme: preferences.theme).page(
        alone: content), status: error.status)
    answer.fields += error.fields
    return answer
  }

  /// Whether the page links to the overview. Under a wrong host name (421) no page is served, and a
  /// widget (401) stands in another site's frame.
  private var leadsOn: Bool { error.status != 421 && error.status != 401 }

  private func wayBack(_ reader: Reader) -> HTML {
    #"<p><a href="/dashboard/">\#(reader(.backToOverview))</a></p>"#
  }
}

extension Phrase {
  fileprivate static let backToOverview = Phrase("To the overview", "Ir para a visão geral")
}
