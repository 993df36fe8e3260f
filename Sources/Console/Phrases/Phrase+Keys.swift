internal import Ledger
internal import Pages

extension Phrase {
  static let noClients = Phrase("There is no client yet.", "Ainda não há clientes.")
  static let fingerprint = Phrase("Fingerprint", "Impressão digital")
  static let mayAskFor = Phrase("Allowed", "Permitido")
  static let perMinute = Phrase("Limits per minute", "Limites por minuto")
  static let expires = Phrase("Expires", "Expira")

  static func expiresIn(_ zone: String) -> Phrase {
    Phrase("Expires (\(zone))", "Expira (\(zone))")
  }

  static func lastUsedIn(_ zone: String) -> Phrase {
    Phrase("Last used (\(zone))", "Último uso (\(zone))")
  }

  static let everything = Phrase("everything", "tudo")
  static let newSecret = Phrase("The new key", "A nova chave")
  static let shownOnce = Phrase(
    "Copy it now: it is shown only once, and Catraca does not store it.",
    "Copie agora: ela aparece só uma vez, e o Catraca não a guarda.")
  static let rotate = Phrase("New secret", "Novo segredo")
  static let reallyRotate = Phrase(
    "Give this key a new secret? The old one works for another day.",
    "Dar um novo segredo a esta chave? O antigo vale por mais um dia.")
  static let revoke = Phrase("Revoke", "Revogar")
  static let reallyRevoke = Phrase(
    "Revoke this key? Requests with it are refused at once.",
    "Revogar esta chave? As requisições com ela serão recusadas na hora.")
  static let newKey = Phrase("New key", "Nova chave")
  static let makeKey = Phrase("Create key", "Criar chave")
  static let models = Phrase("Models", "Modelos")
  static let modelsHint = Phrase(
    "Use * for any text: gpt-4o*, llama-3.*. If empty: all.",
    "Use * para qualquer texto: gpt-4o*, llama-3.*. Se vazio: todos.")
  static let requestsPerMinute = Phrase("Requests per minute", "Requisições por minuto")
  static let tokensPerMinute = Phrase("Tokens per minute", "Tokens por minuto")

  static func requestCount(_ count: String) -> Phrase {
    Phrase("\(count) requests", "\(count) requisições")
  }

  static func name(of status: StoredKey.Status) -> Phrase {
    switch status {
    case .active: Phrase("active", "ativa")
    case .expired: Phrase("expired", "expirada")
    case .revoked: Phrase("revoked", "revogada")
    }
  }
}
