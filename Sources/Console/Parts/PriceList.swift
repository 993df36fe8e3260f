internal import Money
internal import Pages
internal import Pricing

/// Prices in words, in the units in which providers publish them.
enum PriceList {
  /// A price in US dollars, without a currency sign; a dash for nil.
  static func text(_ price: FixedDecimal?, _ reader: Reader) -> String {
    price.map { reader.decimal($0.decimalText) } ?? "–"
  }

  /// Every price of a client's agreement.
  static func all(_ prices: AgreedPrices, _ reader: Reader) -> [String] {
    let windows = prices.completionWindows.sorted { $0.key < $1.key }.flatMap { name, table in
      list(PricedQuantity.allCases, table, reader).map { "\(reader(.window(name))): \($0)" }
    }
    let containers = prices.containers.sorted { $0.key < $1.key }.map { size, price in
      reader(.containerPrice(size, reader.dollars(price)))
    }
    return list(PricedQuantity.allCases, prices.table, reader) + windows + containers
  }

  /// The prices that have no column of their own: all but input, cached input and output.
  static func others(_ table: PriceTable, _ reader: Reader) -> [String] {
    list(
      PricedQuantity.allCases.filter { ![.input, .cachedInput, .output].contains($0) }, table,
      reader) + (table.images.isEmpty ? [] : [reader(.imagesBySize)])
  }

  private static func list(
    _ quantities: [PricedQuantity], _ table: PriceTable, _ reader: Reader
  ) -> [String] {
    quantities.compactMap { quantity in
      guard let price = table[quantity] else { return nil }
      if quantity.unit == .token {
        return "\(reader(.name(of: quantity))): \(text(price, reader))"
      }
      return reader(.price(reader.dollars(price), per: quantity))
    }
  }
}

extension Reader {
  /// A price with every digit that it has: `$0.006`, or `US$ 0,006`.
  func dollars(_ price: FixedDecimal) -> String { money(price.decimalText, in: .usd) }
}

extension Phrase {
  /// The name of a priced quantity.
  static func name(of quantity: PricedQuantity) -> Phrase {
    switch quantity {
    case .input: .inputTokens
    case .cachedInput: Phrase("Cached input tokens", "Tokens de entrada em cache")
    case .cacheWrite: Phrase("Cache write tokens", "Tokens gravados em cache")
    case .cacheWriteLong:
      Phrase("Cache write tokens (12 hours)", "Tokens gravados em cache (12 horas)")
    case .audioInput: Phrase("Audio input tokens", "Tokens de entrada de áudio")
    case .imageInput: Phrase("Image input tokens", "Tokens de entrada de imagem")
    case .output: .outputTokens
    case .audioOutput: Phrase("Audio output tokens", "Tokens de saída de áudio")
    case .imageOutput: Phrase("Image output tokens", "Tokens de saída de imagem")
    case .minute, .second: Phrase("Milliseconds of audio", "Milissegundos de áudio")
    case .character: Phrase("Characters", "Caracteres")
    case .image: Phrase("Images", "Imagens")
    case .call: .toolCalls
    }
  }

  /// A price with its unit.
  fileprivate static func price(_ price: String, per quantity: PricedQuantity) -> Phrase {
    switch quantity {
    case .minute: Phrase("\(price) per minute", "\(price) por minuto")
    case .second: Phrase("\(price) per second", "\(price) por segundo")
    case .character:
      Phrase("\(price) per million characters", "\(price) por milhão de caracteres")
    case .image: Phrase("\(price) per image", "\(price) por imagem")
    case .call: Phrase("\(price) per call", "\(price) por chamada")
    default: Phrase("\(price) per million tokens", "\(price) por milhão de tokens")
    }
  }

  fileprivate static func containerPrice(_ size: String, _ price: String) -> Phrase {
    Phrase(
      "\(price) per session of a container with \(size)",
      "\(price) por sessão de um contêiner com \(size)")
  }
}
