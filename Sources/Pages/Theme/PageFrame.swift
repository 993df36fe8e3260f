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

/// The icons: Catraca's mark, a turnstile seen from above, and a lock.
public enum Icon {
  public static let html: HTML = #"""
    <svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="2.5"/>\#
    <path d="M12 9.5V2.5M14.2 13.3l6 3.5M9.8 13.3l-6 3.5"/></svg>
    """#

  /// A lock, for things that can only be changed in a file.
  public static let lock: HTML = #"""
    <svg class="lock" viewBox="0 0 12 12" aria-hidden="true"><path d="M3 5.5h6v5H3z"/>\#
    <path d="M4.2 5.5V3.6a1.8 1.8 0 0 1 3.6 0v1.9" class="bow"/></svg>
    """#

  /// The mark as a file.
  public static let file: StaticString = #"""
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0b8a7d" \#
    stroke-width="2.4" stroke-linecap="round"><circle cx="12" cy="12" r="2.5"/>\#
    <path d="M12 9.5V2.5M14.2 13.3l6 3.5M9.8 13.3l-6 3.5"/></svg>
    """#
}
