internal import Billing
internal import Budgets
internal import Configuration
internal import Pages

extension APIError {
  /// The error as a page tells it, in its reader's language.
  ///
  /// Fields have the names that forms show: the API's `per` is “Applies to” here.
  /// A rule that has no Portuguese text is left out, so that no page mixes languages.
  var explanation: Phrase {
    if let phrase { return phrase }
    guard let field = param.map(APIError.field) else { return Phrase(message, portuguese) }
    switch code {
    case "missing_field":
      return Phrase("Fill in “\(field.english)”.", "Preencha “\(field.portuguese)”.")
    case "invalid_value":
      let rule = allowed.map(APIError.rule)
      return Phrase(
        "“\(field.english)” is not valid.\(rule?.english.map { " Allowed: \($0)." } ?? "")",
        "O valor de “\(field.portuguese)” não é válido."
          + (rule?.portuguese.map { " Permitido: \($0)." } ?? ""))
    default: return Phrase(message, portuguese)
    }
  }

  private var portuguese: String {
    switch code {
    case "not_found": APIError.notFoundInPortuguese(message)
    case "method_not_allowed": "Este endereço não aceita este tipo de requisição."
    case "unknown_field": "O parâmetro \(param ?? "") não existe."
    case "already_exists": "Já existe um registro com este nome."
    case "declared_in_file": "Isto está declarado em clients.yaml e só pode ser alterado lá."
    case "in_use": "Isto ainda está em uso."
    case "request_timeout": "A requisição não chegou a tempo."
    case "request_too_large": "O formulário é grande demais."
    case "rate_limit_exceeded": "Requisições demais. Tente de novo em alguns instantes."
    case "overloaded": "O servidor está ocupado. Tente de novo em alguns instantes."
    case "ledger_unavailable": "O banco de dados está indisponível no momento."
    case "outcome_unknown":
      "O banco de dados não respondeu se a alteração foi feita. Confira antes de repetir."
    case "payment_provider_unavailable": "O provedor de pagamentos está indisponível no momento."
    case "invalid_api_key": "O acesso não é válido ou expirou."
    default: "A requisição não é válida."
    }
  }

  /// The allowed values of an `invalid_value`, without the final period; nil if it has none.
  private var allowed: String? {
    let parts = message.split(separator: "; allowed: ", maxSplits: 1)
    return parts.count == 2 ? String(parts[1].dropLast()) : nil
  }

  // MARK: Names

  private typealias Texts = (english: String, portuguese: String)

  /// The name of a field in forms; the API's own name if no form has the field.
  private static func field(_ name: String) -> Texts {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    return fields[last] ?? (name, name)
  }

  private static let fields: [String: Texts] = [
    "client": ("Client", "Cliente"), "client_id": ("Client", "Cliente"), "name": ("Name", "Nome"),
    "per": ("Applies to", "Vale para"), "tokens": ("Tokens", "Tokens"),
    "cost": ("Money", "Dinheiro"), "currency": ("Currency", "Moeda"),
    "period": ("Period", "Período"), "enforcement": ("Enforcement", "Aplicação"),
    "alerts": ("Alerts", "Alertas"), "note": ("Note", "Nota"), "until": ("Until", "Até"),
    "usage": ("Usage", "Uso"), "provider": ("Provider", "Provedor"), "model": ("Model", "Modelo"),
    "models": ("Models", "Modelos"), "input": ("Input", "Entrada"),
    "cached_input": ("Cached input", "Entrada em cache"), "output": ("Output", "Saída"),
    "expires_at": ("Expires", "Expira"), "kind": ("Kind", "Tipo"),
    "object_id": ("Object ID", "ID do objeto"), "reason": ("Reason", "Motivo"),
    "requests_per_minute": ("Requests per minute", "Requisições por minuto"),
    "tokens_per_minute": ("Tokens per minute", "Tokens por minuto"), "days": ("Days", "Dias"),
    "from": ("From", "De"), "to": ("Before", "Antes de"), "outcome": ("Outcome", "Desfecho"),
    "state": ("Status", "Situação"), "usage_source": ("Usage source", "Origem do uso"),
    "user": ("User", "Usuário"), "conversation": ("Conversation", "Conversa"),
  ]

  private static func notFoundInPortuguese(_ message: String) -> String {
    let words = message.dropLast().split(separator: " ")
    guard words.count >= 5, words.starts(with: ["There", "is", "no"]),
      let kind = kinds[String(words[3])]
    else {
      return message.hasSuffix("such path.") ? "Esta página não existe." : "Isto não existe."
    }
    return "\(kind) \(words[4]) não existe."
  }

  private static let kinds = [
    "client": "O cliente", "budget": "O orçamento", "key": "A chave", "plan": "O plano",
    "request": "A requisição", "charge": "A cobrança", "model": "O modelo",
  ]

  // MARK: Rules

  /// A rule in both languages; nil for Portuguese if the rule is a sentence without a
  /// translation. A list of identifiers, such as `7, 30, 60, 90`, is the same in both.
  private static func rule(_ text: String) -> (english: String?, portuguese: String?) {
    if let known = rules[text] { return (text, known) }
    if text.hasPrefix("a decimal in text") {
      return ("a decimal, such as 0.15", "um número decimal, como 0,15")
    }
    let words = text.split(separator: " ")
    if text.hasPrefix("a whole number from "), words.count == 7 {
      return (text, "um número inteiro de \(words[4]) a \(words[6])")
    }
    let isList = text.split(separator: ",").allSatisfy { item in
      !item.drop { $0 == " " }.contains(" ")
    }
    return (text, isList ? text : nil)
  }

  private static let rules = [
    BudgetPeriod.allowed:
      "daily (diário), weekly (semanal), monthly (mensal), total, "
      + "ou 1d a \(BudgetPeriod.longestDays)d (dias)",
    BillingMonth.rule: "um mês, como 2026-11",
    "a date, or an instant of RFC 3339 with its offset": "uma data, como 2026-11-22",
    "a time in the future": "uma data futura",
    "a time in the future, within 366 days": "uma data nos próximos 366 dias",
    "percentages from 1 to 100, ascending, such as [80, 90, 100]":
      "porcentagens de 1 a 100, em ordem crescente, como 80, 90, 100",
    "names of models, with * for any text": "nomes de modelos, com * para qualquer texto",
    "a model of the pricing files": "um modelo da tabela de preços",
    "the three letters of a currency, such as BRL": "as três letras de uma moeda, como BRL",
    EntityName.rule:
      "de 1 a 63 letras sem acento, dígitos, '.', '_' e '-', começando por letra ou dígito",
    "one value": "um único valor",
  ]
}
