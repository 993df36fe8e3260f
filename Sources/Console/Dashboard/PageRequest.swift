internal import Configuration
internal import EventLoop
internal import HTTP
internal import JSON
internal import Pages
internal import Time

/// One request for a page: the call, the session, the form and the language.
final class PageRequest {
  /// The page's access to the server, with the visitor's credential.
  let call: Call
  let preferences: Preferences
  /// Nil if the visitor isn't signed in.
  let session: Session?
  let form: PageForm
  /// The head of the HTTP request.
  let head: RequestHead
  /// The browser's network; nil if it is unknown.
  let network: SocketAddress.Network?
  let signIns: SignIns
  let cookie: SessionCookie
  /// Errors of parts of the page. The page is shown without these parts, and the log names them.
  var failures: [APIError] = []

  init(
    _ call: Call, head: RequestHead, from network: SocketAddress.Network?, session: Session?,
    form: PageForm, signIns: SignIns, cookie: SessionCookie
  ) {
    self.call = call
    self.head = head
    self.network = network
    self.session = session
    self.form = form
    self.signIns = signIns
    self.cookie = cookie
    preferences = Preferences(head.fields)
  }

  var reader: Reader { Reader(language: preferences.language) }

  var now: Timestamp { call.now }

  /// Whether the visitor may change things, which only an administrator's token may.
  var mayChange: Bool {
    if case .token(_, .admin) = call.credential { true } else { false }
  }

  // MARK: Changing

  /// Makes a call of the API with the visitor's credential. Pages make changes only this way, so
  /// both have the same rules.
  func perform(
    _ method: APIRoute.Method, _ address: PageAddress, _ write: (inout JSONWriter) -> Void
  ) async throws(APIError) -> Answer {
    var writer = JSONWriter()
    if method != .delete { writer.object { write(&$0) } }
    let (path, query) = address.parts
    let (route, parameters) = try PageRequest.api.route(method.ofHTTP, path: path)
    let inner = Call(
      server: call.server, credential: call.credential, parameters: parameters,
      query: try Query(query, allowed: route.query),
      body: (writer.bytes, route.body), fields: HeaderFields(), now: now)
    call.closeReader()
    return try await route.carryOut(inner)
  }

  /// The text of a member of the API's answer; empty if there is none.
  func member(_ name: StaticString, of answer: Answer) throws(APIError) -> String {
    do {
      return try JSONParser(largestDepth: PageRequest.answerDepth).parse(answer.body)[name]?.string
        ?? ""
    } catch {
      throw .invalidJSON("\(error)")
    }
  }

  private static let answerDepth = 32
  private static let api = Router(Routes.admin)

  // MARK: Answers

  /// A page with the navigation.
  func page(
    _ title: Phrase, in section: SiteSection?, status: Int = 200, isLive: Bool = false,
    _ content: HTML
  ) -> Answer {
    page(reader(title), in: section, status: status, isLive: isLive, content)
  }

  func page(
    _ title: String, in section: SiteSection?, status: Int = 200, isLive: Bool = false,
    _ content: HTML
  ) -> Answer {
    let links = SiteSection.visible(to: call.credential).map { each in
      PageFrame.Link(reader(each.name), each.address, isCurrent: each == section)
    }
    return Answer(
      page: PageFrame(title, for: reader, theme: preferences.theme).page(
        content, links: session == nil ? [] : links, foot: SiteFoot.html(self), isLive: isLive),
      status: status)
  }

  /// A page without the navigation.
  func page(alone title: Phrase, status: Int = 200, _ content: HTML) -> Answer {
    Answer(
      page: PageFrame(reader(title), for: reader, theme: preferences.theme).page(alone: content),
      status: status)
  }

  /// The hidden field with the CSRF token, which every form that changes something needs.
  var csrfField: HTML {
    #"<input type="hidden" name="csrf" value="\#(session?.csrfToken ?? "")">"#
  }
}

extension Answer {
  init(page: HTML, status: Int = 200) {
    self.init(status: status, body: page.bytes)
    contentType = "text/html; charset=utf-8"
    fields = SiteFields.ofPages
  }

  /// Redirects a browser, which follows with a GET (303).
  static func redirect(to address: PageAddress) -> Answer {
    var answer = Answer(status: 303, body: [])
    answer.fields = [(.location, address.text)]
    return answer
  }
}

/// Header fields that tell browsers what to refuse, whatever the page contains.
enum SiteFields {
  static let ofPages: [(FieldName, String)] =
    [
      ("content-security-policy", policy(frameAncestors: "'none'")),
      ("x-frame-options", "DENY"),
    ] + always

  /// - Parameter frameAncestors: The sites that may show the page in a frame.
  static func ofWidgets(frameAncestors: String) -> [(FieldName, String)] {
    [("content-security-policy", policy(frameAncestors: frameAncestors))] + always
  }

  static let always: [(FieldName, String)] = [
    ("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin"),
  ]

  private static func policy(frameAncestors: String) -> String {
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
      + "form-action 'self'; base-uri 'none'; frame-ancestors \(frameAncestors)"
  }
}
