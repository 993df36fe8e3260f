internal import Configuration
internal import HTTP
internal import Pages

/// The foot of the navigation: the visitor, and the switches for language and colors.
enum SiteFoot {
  static func html(_ pageRequest: PageRequest) -> HTML {
    #"\#(account(pageRequest))\#(switches(pageRequest))"#
  }

  private static func account(_ pageRequest: PageRequest) -> HTML? {
    let reader = pageRequest.reader
    guard let credential = pageRequest.call.credential else { return nil }
    let (name, role): (String, Phrase) =
      switch credential {
      case .token(let name, .admin): (name, .roleAdmin)
      case .token(let name, .viewer): (name, .roleViewer)
      case .key(let owner): (owner.client.name, .roleClient)
      }
    return #"""
      <p class="small">\#(name)<br><span class="soft">\#(reader(role))</span></p>
      <form method="post" action="\#(SitePath.signOut)">\#(pageRequest.csrfField)\#
      <button class="quiet">\#(reader(.signOut))</button></form>
      """#
  }

  /// The switches for language and colors. Without a script, a button applies them.
  static func switches(_ pageRequest: PageRequest) -> HTML {
    let reader = pageRequest.reader
    let languages = Language.allCases.map { language -> HTML in
      #"""
      <option value="\#(language.rawValue)" lang="\#(language.rawValue)"\#
      \#(if: language == reader.language, " selected")>\#(language.name)</option>
      """#
    }
    let themes = PageFrame.Theme.allCases.map { theme -> HTML in
      #"""
      <option value="\#(theme.rawValue)"\#
      \#(if: theme == pageRequest.preferences.theme, " selected")>\#
      \#(reader(.name(of: theme)))</option>
      """#
    }
    return #"""
      <form method="post" action="\#(SitePath.preferences)" class="inline small">\#
      <input type="hidden" name="back" value="\#(pageRequest.head.target.text)">\#
      <label class="unseen" for="language">\#(reader(.language))</label>\#
      <select id="language" name="language" data-submit>\#(languages)</select>\#
      <label class="unseen" for="theme">\#(reader(.theme))</label>\#
      <select id="theme" name="theme" data-submit>\#(themes)</select>\#
      <noscript><button>\#(reader(.apply))</button></noscript></form>
      """#
  }
}

extension Phrase {
  static let apply = Phrase("Apply", "Aplicar")
  static let language = Phrase("Language", "Idioma")
  fileprivate static let theme = Phrase("Colours", "Cores")
  fileprivate static let signOut = Phrase("Sign out", "Sair")
  fileprivate static let roleAdmin = Phrase("administrator", "administrador")
  fileprivate static let roleViewer = Phrase("viewer, changes nothing", "leitor, não altera nada")
  fileprivate static let roleClient = Phrase("client's key", "chave de cliente")

  fileprivate static func name(of theme: PageFrame.Theme) -> Phrase {
    switch theme {
    case .system: Phrase("System colours", "Cores do sistema")
    case .light: Phrase("Light", "Claro")
    case .dark: Phrase("Dark", "Escuro")
    }
  }
}
