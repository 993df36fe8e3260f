internal import Budgets
internal import Pages
internal import Pricing

/// Words that several pages use.
extension Phrase {
  static let overview = Phrase("Overview", "Visão geral")
  static let clients = Phrase("Clients", "Clientes")
  static let requests = Phrase("Requests", "Requisições")
  static let refusals = Phrase("Refusals", "Recusas")
  static let budgets = Phrase("Budgets", "Orçamentos")
  static let keys = Phrase("Keys", "Chaves")
  static let prices = Phrase("Prices", "Preços")
  static let billing = Phrase("Billing", "Cobrança")
  static let auditTrail = Phrase("Audit trail", "Auditoria")

  static let client = Phrase("Client", "Cliente")
  static let user = Phrase("User", "Usuário")
  static let key = Phrase("Key", "Chave")
  static let model = Phrase("Model", "Modelo")
  static let provider = Phrase("Provider", "Provedor")
  static let operation = Phrase("Operation", "Operação")
  static let conversation = Phrase("Conversation", "Conversa")
  static let budget = Phrase("Budget", "Orçamento")
  static let time = Phrase("Time", "Data e hora")
  static let day = Phrase("Day", "Dia")
  static let week = Phrase("Week of", "Semana de")
  static let tokens = Phrase("Tokens", "Tokens")
  static let money = Phrase("Money", "Dinheiro")
  static let cost = Phrase("Cost", "Custo")
  static let status = Phrase("Status", "Situação")
  static let name = Phrase("Name", "Nome")
  static let plan = Phrase("Plan", "Plano")
  static let period = Phrase("Period", "Período")
  static let reason = Phrase("Reason", "Motivo")
  static let actions = Phrase("Actions", "Ações")
  static let all = Phrase("All", "Todos")
  static let show = Phrase("Show", "Mostrar")
  static let save = Phrase("Save", "Salvar")
  static let cancel = Phrase("Cancel", "Cancelar")
  static let older = Phrase("Older", "Anteriores")
  static let asTable = Phrase("As a table", "Em tabela")
  static let nothingFound = Phrase("Nothing matches.", "Nada encontrado.")
  static let nothingYet = Phrase("Nothing yet.", "Nada ainda.")
  static let without = Phrase("(none)", "(nenhum)")
  static let days = Phrase("Days", "Dias")
  static let active = Phrase("active", "ativo")
  static let suspended = Phrase("suspended", "suspenso")

  static func lastDays(_ count: Int) -> Phrase {
    Phrase("Last \(count) days", "Últimos \(count) dias")
  }
}

extension Phrase {
  static func name(of operation: Operation) -> Phrase {
    switch operation {
    case .chat: Phrase("chat", "chat")
    case .responses: Phrase("responses", "responses")
    case .completion: Phrase("completion", "texto")
    case .embedding: Phrase("embedding", "embedding")
    case .transcription: Phrase("transcription", "transcrição")
    case .translation: Phrase("translation", "tradução")
    case .speech: Phrase("speech", "fala")
    case .image: Phrase("image", "imagem")
    case .moderation: Phrase("moderation", "moderação")
    case .batch: Phrase("batch", "lote")
    case .realtime: Phrase("realtime", "tempo real")
    }
  }
}

extension Reader {
  /// A budget's name: `acme/month`, or `month (all clients)` for a budget of all clients.
  func name(of id: BudgetID) -> String {
    id.client == BudgetID.everything ? self(.ofAllClients(id.name)) : id.description
  }
}

extension Phrase {
  fileprivate static func ofAllClients(_ name: String) -> Phrase {
    Phrase("\(name) (all clients)", "\(name) (todos os clientes)")
  }

  /// The account of requests that name no user, conversation and so on.
  static func unnamed(_ per: BudgetDefinition.Per) -> Phrase {
    switch per {
    case .client: .without
    case .user: Phrase("no user", "sem usuário")
    case .key: Phrase("no key", "sem chave")
    case .model: Phrase("no model", "sem modelo")
    case .conversation: Phrase("no conversation", "sem conversa")
    }
  }
}

/// Names of a budget's values.
extension Phrase {
  static func name(of level: AccountStatus.Level) -> Phrase {
    switch level {
    case .ok: Phrase("ok", "normal")
    case .attention: Phrase("attention", "atenção")
    case .critical: Phrase("critical", "crítico")
    case .exceeded: Phrase("limit reached", "limite atingido")
    }
  }

  static func name(of per: BudgetDefinition.Per) -> Phrase {
    switch per {
    case .client: Phrase("the whole client", "o cliente todo")
    case .user: Phrase("each user", "cada usuário")
    case .key: Phrase("each key", "cada chave")
    case .model: Phrase("each model", "cada modelo")
    case .conversation: Phrase("each conversation", "cada conversa")
    }
  }

  static func name(of enforcement: BudgetDefinition.Enforcement) -> Phrase {
    switch enforcement {
    case .hard: Phrase("hard: never exceeds the limit", "rígido: nunca passa do limite")
    case .soft:
      Phrase("soft: may exceed the limit slightly", "flexível: pode passar um pouco do limite")
    case .shadow:
      Phrase("shadow: only monitors, never refuses", "observação: só monitora, nunca recusa")
    }
  }

  static func name(of period: BudgetPeriod) -> Phrase {
    switch period {
    case .daily: Phrase("daily", "diário")
    case .weekly: Phrase("weekly", "semanal")
    case .monthly, .monthsFrom: Phrase("monthly", "mensal")
    case .days(let count, _): Phrase("\(count) days", "\(count) dias")
    case .total: Phrase("total, never resets", "total, nunca zera")
    }
  }
}
