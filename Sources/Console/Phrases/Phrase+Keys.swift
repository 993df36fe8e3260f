internal import Ledger
internal import Pages

extension Phrase {
  static let noClients = Phrase("There is no client yet.", "Ainda não há clientes.")
  static let fingerprint = Phrase("Fingerprint", "Impressão digital")
  static let mayAskFor = Phrase("May ask for", "Pode pedir")
  static let perMinute = Phrase("Per minute", "Por minuto")
  static let expires = Phrase("Expires", "Expira")
  static let lastUsed = Phrase("Last used", "Último uso")
  static let everything = Phrase("everything", "tudo")
  static let newSecret = Phrase("The new key", "A nova chave")
  static let shownOnce = Phrase(
    "Copy it now: it is shown this once, and never stored.",
    "Copie agora: ela aparece só desta vez, e nunca é guardada.")
  static let rotate = Phrase("New secret", "Novo segredo")
  static let reallyRotate = Phrase(
    "Give this key a new secret? The old one works for another day.",
    "Dar um novo segredo a esta chave? O antigo vale por mais um dia.")
  static let revoke = Phrase("Revoke", "Revogar")
  static let reallyRevoke = Phrase(
    "Revoke this key? Whoever uses it is refused at once.",
    "Revogar esta chave? Quem a usa será recusado na hora.")
  static let newKey = Phrase("New key", "Nova chave")
  static let makeKey = Phrase("Make the key", "Criar a chave")
  static let models = Phrase("Models", "Modelos")
  static let modelsHint = Phrase(
    "With * for any text, such as gpt-4o*, llama-3.*; empty: all.",
    "Com * para qualquer texto, como gpt-4o*, llama-3.*; vazio: todos.")
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
