internal import Pages

/// Serves the style sheet, the script and the icons.
enum SiteFiles {
  static let favicon = "/favicon.ico"

  /// The paths of the files that every page uses.
  static let lookAndFeel = ["/dashboard/style.css", "/dashboard/script.js", "/dashboard/icon.svg"]

  static var routes: [PageRoute] {
    [
      PageRoute(.get, "/", .anyone) { _ in .redirect(to: SitePath.overview) },
      PageRoute(.get, "/dashboard", .anyone) { _ in .redirect(to: SitePath.overview) },
      file("/dashboard/style.css", "text/css; charset=utf-8", Stylesheet.text),
      file("/dashboard/script.js", "text/javascript; charset=utf-8", Script.text),
      file("/dashboard/icon.svg", "image/svg+xml", Icon.file),
      // Browsers request it with anything that isn't a page, such as an answer of the API.
      file(favicon, "image/svg+xml", Icon.file),
    ]
  }

  static func file(
    _ path: String, _ contentType: StaticString, _ text: StaticString
  ) -> PageRoute {
    PageRoute(.get, path, .anyone) { _ in
      var answer = Answer(status: 200, body: text.withUTF8Buffer { Array($0) })
      answer.contentType = contentType
      answer.fields = SiteFields.always
      // A newer release may serve another file at the same address.
      answer.cacheControl = "public, max-age=300"
      return answer
    }
  }
}
