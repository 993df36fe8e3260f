internal import HTTP
internal import Pages

/// A visitor's language and colors, kept in the browser's cookies.
struct Preferences {
  let language: Language
  let theme: PageFrame.Theme

  private static let languageCookie = "catraca_language"
  private static let themeCookie = "catraca_theme"
  private static let keptSeconds = 366 * 86_400

  init(_ fields: HeaderFields) {
    let cookies = Cookies(fields)
    language =
      cookies.value(of: Preferences.languageCookie).flatMap { Language(rawValue: $0) }
      ?? Language(accepting: fields.first("accept-language"))
    theme =
      cookies.value(of: Preferences.themeCookie).flatMap { PageFrame.Theme(rawValue: $0) }
      ?? .system
  }

  /// The form that changes the preferences. It needs no sign-in.
  static var routes: [PageRoute] {
    [PageRoute(.post, "/dashboard/preferences", .anyone, change)]
  }

  private static func change(_ pageRequest: PageRequest) throws(APIError) -> Answer {
    var answer = Answer.redirect(to: pageRequest.wayBack)
    if let language = pageRequest.form["language"].flatMap({ Language(rawValue: $0) }) {
      answer.fields.append((.setCookie, field(languageCookie, language.rawValue)))
    }
    if let theme = pageRequest.form["theme"].flatMap({ PageFrame.Theme(rawValue: $0) }) {
      answer.fields.append((.setCookie, field(themeCookie, theme.rawValue)))
    }
    return answer
  }

  private static func field(_ name: String, _ value: String) -> String {
    "\(name)=\(value); Path=/; Max-Age=\(keptSeconds); HttpOnly; SameSite=Strict"
  }
}

extension PageRequest {
  /// The page that the form was on, with a notice of what was done; `other` if the form doesn't
  /// name a page.
  func wayBack(done: Notice.Done, else other: PageAddress) -> PageAddress {
    guard let text = formerPage else { return other.with("done", done.rawValue) }
    // Drops the notice of an earlier action.
    let parts = text.split(separator: "?", maxSplits: 1)
    let rest = (parts.dropFirst().first ?? "").split(separator: "&")
      .filter { !$0.hasPrefix("done=") }
    return wayBack(
      to: ([parts.first ?? ""] + [rest.joined(separator: "&")[...]])
        .filter { !$0.isEmpty }.joined(separator: "?")
    )
    .with("done", done.rawValue)
  }

  /// The page that the form was on, as the form says; never a page of another site.
  var wayBack: PageAddress { wayBack(to: formerPage ?? "") }

  /// The form's page, as the form says; nil if the text is too long for an address.
  private var formerPage: String? {
    form["back"].flatMap { $0.utf8.count <= PageRequest.longestAddress ? $0 : nil }
  }

  private static let longestAddress = 2 << 10

  private func wayBack(to text: String) -> PageAddress {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let segments = (parts.first ?? "").split(separator: "/")
    guard segments.first == "dashboard", text.first == "/" else { return SitePath.overview }
    var address = SitePath.root
    for segment in segments.dropFirst() {
      guard let name = PercentEncoding.decode(segment, plusIsSpace: false) else {
        return SitePath.overview
      }
      address = address.appending(name)
    }
    if segments.count == 1 { address = SitePath.overview }
    return parts.count > 1 ? address.with(query: String(parts[1])) : address
  }
}
