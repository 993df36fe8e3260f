internal import Pages

extension Phrase {
  static let whatWouldItCost = Phrase("What would it cost?", "Quanto custaria?")
  static let compute = Phrase("Compute", "Calcular")
  static let unknownModel = Phrase(
    "The price book doesn't have this model.", "A tabela de preços não tem este modelo.")
  static let unusableCounts = Phrase(
    "Enter tokens as whole numbers; cached input can't exceed the input.",
    "Informe tokens em números inteiros; a entrada em cache não pode passar da entrada.")
  static let noPrice = Phrase(
    "No price applies to these tokens.", "Nenhum preço se aplica a estes tokens.")
  static let ownPrices = Phrase("A client's own prices", "Preços próprios de um cliente")
  static let noOwnPrices = Phrase(
    "This client pays the prices of the price book.",
    "Este cliente paga os preços da tabela de preços.")
  static let newPrice = Phrase(
    "Set a price for this client", "Definir um preço para este cliente")
  static let priceBook = Phrase("Price book", "Tabela de preços")
  static let perMillion = Phrase(
    "Prices in USD per million tokens.", "Preços em USD por milhão de tokens.")
  static let inputPrice = Phrase("Input", "Entrada")
  static let cachedPrice = Phrase("Cached input", "Entrada em cache")
  static let outputPrice = Phrase("Output", "Saída")
  static let otherPrices = Phrase("Other prices", "Outros preços")
  static let imagesBySize = Phrase("images priced by size", "imagens com preço por tamanho")
  static let asOf = Phrase("As of", "Data")
  static let source = Phrase("Source", "Fonte")
  static let priceEach = Phrase("Prices", "Preços")
  static let version = Phrase("Version", "Versão")
  static func sinceIn(_ zone: String) -> Phrase {
    Phrase("Since (\(zone))", "Desde (\(zone))")
  }
  static let quantitiesAndPrices = Phrase("Quantities and prices", "Quantidades e preços")
  static let notPriced = Phrase("Nothing was charged.", "Nada foi cobrado.")
  static let dearestRate = Phrase("no price: highest rate", "sem preço: maior tarifa")

  static let serviceTier = Phrase("Service tier", "Nível de serviço")
  static let completionWindow = Phrase("Completion window", "Janela de conclusão")
  static func priceFactor(_ factor: String) -> Phrase {
    Phrase(
      "The prices of tokens include the provider's factor of \(factor).",
      "Os preços dos tokens incluem o fator \(factor) do provedor.")
  }
  static let noWindowPrice = Phrase(
    "This model has no price for that completion window.",
    "Este modelo não tem preço para essa janela de conclusão.")
  static let containerMemory = Phrase(
    "Container memory", "Memória do contêiner")
  static let noContainerPrice = Phrase(
    "This model has no price for containers of that size.",
    "Este modelo não tem preço para contêineres desse tamanho.")
  static let noTierPrice = Phrase(
    "This model has no price for that service tier.",
    "Este modelo não tem preço para esse nível de serviço.")
  static let modelIsMissing = Phrase(
    "Name a model.", "Informe um modelo.")

  static func window(_ name: String) -> Phrase {
    Phrase("completion window \(name)", "janela de conclusão \(name)")
  }

  static func tier(_ name: String) -> Phrase {
    Phrase("service tier \(name)", "nível de serviço \(name)")
  }
}
