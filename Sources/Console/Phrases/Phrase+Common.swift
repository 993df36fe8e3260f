internal import Budgets
internal import Pages

/// Words that several pages have.
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
  static let time = Phrase("Time", "Hora")
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
  static let older = Phrase("Older", "Mais antigos")
  static let asTable = Phrase("As a table", "Em tabela")
  static let nothingYet = Phrase("Nothing yet.", "Nada ainda.")
  static let without = Phrase("(none)", "(nenhum)")
  static let days = Phrase("Days", "Dias")
  static let active = Phrase("active", "ativo")
  static let suspended = Phrase("suspended", "suspenso")

  static func lastDays(_ count: Int) -> Phrase {
    Phrase("Last \(count) days", "Últimos \(count) dias")
  }
}

/// What the values of a budget are called.
extension Phrase {
  static func name(of level: AccountStatus.Level) -> Phrase {
    switch level {
    case .ok: Phrase("fine", "tranquilo")
    case .attention: Phrase("attention", "atenção")
    case .critical: Phrase("critical", "crítico")
    case .exceeded: Phrase("limit reached", "no limite")
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
    case .soft: Phrase("soft: may pass by little", "flexível: pode passar por pouco")
    case .shadow: Phrase("shadow: only watches", "sombra: só observa")
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
