internal import Pages

extension Phrase {
  static let whatWouldItCost = Phrase("What would it cost?", "Quanto custaria?")
  static let compute = Phrase("Compute", "Calcular")
  static let unknownModel = Phrase(
    "The price book doesn't have this model.", "A tabela de preços não tem este modelo.")
  static let unusableCounts = Phrase(
    "Tokens are whole numbers, and the cached ones are part of the input.",
    "Tokens são números inteiros, e os em cache são parte da entrada.")
  static let noPrice = Phrase(
    "This can't be priced.", "Isto não pode ser calculado.")
  static let ownPrices = Phrase("A client's own prices", "Preços próprios de um cliente")
  static let noOwnPrices = Phrase(
    "This client has the book's prices.", "Este cliente tem os preços da tabela.")
  static let newPrice = Phrase(
    "Give this client its own price", "Dar a este cliente um preço próprio")
  static let priceBook = Phrase("Price book", "Tabela de preços")
  static let perMillion = Phrase("USD per million tokens", "USD por milhão de tokens")
  static let inputPrice = Phrase("Input", "Entrada")
  static let cachedPrice = Phrase("Cached input", "Entrada em cache")
  static let outputPrice = Phrase("Output", "Saída")
  static let otherPrices = Phrase("Others", "Outros")
  static let imagesBySize = Phrase("images by size", "imagens por tamanho")
  static let asOf = Phrase("As of", "Na data de")
  static let source = Phrase("Source", "Fonte")
  static let priceEach = Phrase("Prices", "Preços")
  static let version = Phrase("Version", "Versão")
  static let since = Phrase("Since", "Desde")
  static let quantitiesAndPrices = Phrase("Quantities and prices", "Quantidades e preços")
  static let notPriced = Phrase("Nothing was priced.", "Nada teve preço.")
  static let dearestRate = Phrase("no price: dearest rate", "sem preço: maior tarifa")

  static let serviceTier = Phrase("Service tier", "Nível de serviço")
  static let completionWindow = Phrase("Completion window", "Janela de conclusão")
  static let noWindowPrice = Phrase(
    "This model has no price for that completion window.",
    "Este modelo não tem preço para essa janela de conclusão.")
  static let containerMemory = Phrase(
    "Session of a container with", "Sessão de um contêiner com")
  static let noContainerPrice = Phrase(
    "The pricing file has no price of such containers.",
    "O arquivo de preços não tem preço desses contêineres.")

  static func window(_ name: String) -> Phrase {
    Phrase("window \(name)", "janela \(name)")
  }

  static func tier(_ name: String) -> Phrase {
    Phrase("tier \(name)", "nível \(name)")
  }
}
