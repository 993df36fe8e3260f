internal import HTTP
internal import Pages
internal import Time

/// The page that a browser gets in place of the one that it asked for.
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

  /// Whether another page of this server would be shown: none is under a name that isn't its own.
  private var leadsOn: Bool { error.status != 421 }

  private func wayBack(_ reader: Reader) -> HTML {
    #"<p><a href="/dashboard/">\#(reader(.backToOverview))</a></p>"#
  }
}

extension APIError {
  /// What a page says, in its reader's language.
  fileprivate var explanation: Phrase { phrase ?? Phrase(message, portuguese) }

  private var portuguese: String {
    let name = param ?? ""
    return switch code {
    case "not_found": "Isto não existe aqui."
    case "method_not_allowed": "Isto não pode ser pedido assim aqui."
    case "missing_field": "Falta o campo \(name)."
    case "unknown_field": "O campo \(name) não existe aqui."
    case "invalid_value" where !name.isEmpty: "O valor de \(name) não é válido.\(allowed)"
    case "already_exists": "Já existe algo com este nome."
    case "declared_in_file": "Isto está declarado no clients.yaml e só pode ser mudado lá."
    case "in_use": "Isto ainda está em uso."
    case "request_timeout": "A requisição não chegou a tempo."
    case "request_too_large": "O formulário é grande demais."
    case "rate_limit_exceeded": "Requisições demais. Tente de novo em alguns instantes."
    case "overloaded": "O servidor está ocupado demais. Tente de novo em alguns instantes."
    case "ledger_unavailable": "O banco de dados não pode ser usado agora."
    case "outcome_unknown": "O banco de dados não responde se a mudança foi feita. Confira."
    case "payment_provider_unavailable": "O provedor de pagamentos não responde agora."
    default: "A requisição não é válida."
    }
  }

  private var allowed: String {
    let parts = message.split(separator: "; allowed: ", maxSplits: 1)
    return parts.count == 2 ? " Permitido: \(parts[1])" : ""
  }
}

extension Phrase {
  fileprivate static let backToOverview = Phrase("To the overview", "Ir para a visão geral")
}
