internal import Pages

/// The notice at the top of a page: an action that succeeded, or an error.
enum Notice {
  /// A finished action, in the address of the page that follows it.
  enum Done: String, CaseIterable {
    case saved, removed, paused, resumed, reset, raised, revoked, retried, forgotten

    var phrase: Phrase {
      switch self {
      case .saved: Phrase("Saved. It is in force.", "Salvo. Já está em vigor.")
      case .removed: Phrase("Removed.", "Removido.")
      case .paused: Phrase("Paused.", "Pausado.")
      case .resumed: Phrase("Resumed.", "Retomado.")
      case .reset: Phrase("Reset.", "Zerado.")
      case .raised: Phrase("Raised. It is in force.", "Ampliado. Já está em vigor.")
      case .revoked: Phrase("Revoked.", "Revogada.")
      case .retried:
        Phrase("It is being collected again.", "A cobrança está sendo tentada de novo.")
      case .forgotten:
        Phrase("Forgotten: no client owns it now.", "Esquecido: agora nenhum cliente é o dono.")
      }
    }
  }

  static let parameter = QueryParameter("done", "the action that was just done")

  static func done(_ pageRequest: PageRequest) -> HTML? {
    guard let text = try? pageRequest.call.query.text(parameter.name),
      let done = Done(rawValue: text)
    else { return nil }
    return #"<p class="card notice" role="status">\#(pageRequest.reader(done.phrase))</p>"#
  }

  static func problem(_ error: APIError?, _ reader: Reader) -> HTML? {
    guard let error else { return nil }
    return #"""
      <p class="card notice exceeded" role="alert"><strong>\#(reader(.notDone))</strong> \#
      \#(reader(error.explanation))</p>
      """#
  }
}

extension Phrase {
  static let notDone = Phrase("That didn't work.", "Não deu certo.")
}
