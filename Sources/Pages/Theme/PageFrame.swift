/// A whole page: its head, the navigation and the content.
public struct PageFrame: Sendable {
  /// The colors that a reader chose.
  public enum Theme: String, Sendable, Hashable, CaseIterable {
    /// The colors of the reader's system.
    case system
    case light, dark
  }

  /// A link of the navigation.
  public struct Link: Sendable {
    let name: String
    let address: PageAddress
    let isCurrent: Bool

    public init(_ name: String, _ address: PageAddress, isCurrent: Bool) {
      self.name = name
      self.address = address
      self.isCurrent = isCurrent
    }
  }

  /// The addresses of the pages' files.
  public static let stylesheet = PageAddress("/dashboard/style.css")
  public static let script = PageAddress("/dashboard/script.js")
  public static let icon = PageAddress("/dashboard/icon.svg")
  public static let events = PageAddress("/dashboard/events")

  private let title: String
  private let reader: Reader
  private let theme: Theme

  public init(_ title: String, for reader: Reader, theme: Theme) {
    self.title = title
    self.reader = reader
    self.theme = theme
  }

  /// A page with the navigation beside it.
  ///
  /// - Parameters:
  ///   - foot: The content below the links, such as the visitor's name.
  ///   - isLive: Whether the page refreshes its figures.
  public func page(_ content: HTML, links: [Link], foot: HTML, isLive: Bool) -> HTML {
    let entries = links.map { link -> HTML in
      #"""
      <li><a href="\#(link.address)"\#(if: link.isCurrent, #" aria-current="page""#)>\#
      \#(link.name)</a></li>
      """#
    }
    return document(
      #"""
      <body\#(if: isLive, #" data-events="/dashboard/events""#)>
      <a class="skip" href="#main">\#(reader(.skipToContent))</a>
      <div class="frame"><header class="side">
      <a class="brand" href="/dashboard/">\#(Icon.html)Catraca</a>
      <nav aria-label="\#(reader(.pages))"><ul>\#(entries)</ul></nav>
      <div class="foot">\#(foot)</div></header>
      <main id="main" tabindex="-1">\#(content)</main></div></body>
      """#)
  }

  /// A page without navigation, such as the sign-in.
  public func page(alone content: HTML) -> HTML {
    document(#"<body class="alone"><main>\#(content)</main></body>"#)
  }

  /// A page for a frame in another site, without a script.
  public func widget(
    _ content: HTML, stylesheet: PageAddress, icon: PageAddress
  ) -> HTML {
    document(
      #"<body class="widget"><main>\#(content)</main></body>"#, stylesheet: stylesheet,
      icon: icon, hasScript: false)
  }

  private func document(
    _ body: HTML, stylesheet: PageAddress = PageFrame.stylesheet,
    icon: PageAddress = PageFrame.icon, hasScript: Bool = true
  ) -> HTML {
    #"""
    <!doctype html>
    <html lang="\#(reader.language.rawValue)" data-theme="\#(theme.rawValue)"><head>
    <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\#(title) · Catraca</title>
    <link rel="stylesheet" href="\#(stylesheet)">
    <link rel="icon" href="\#(icon)" type="image/svg+xml">
    \#(if: hasScript, #"<script src="/dashboard/script.js" defer></script>"#)
    </head>
    \#(body)</html>

    """#
  }
}

extension Phrase {
  fileprivate static let skipToContent = Phrase("Skip to the content", "Ir para o conteúdo")
  fileprivate static let pages = Phrase("Pages", "Páginas")
}
