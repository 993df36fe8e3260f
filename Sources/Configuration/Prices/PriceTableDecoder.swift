internal import Money
internal import Pricing

/// Reads price tables. Its formats are created once for a whole file.
struct PriceTableDecoder {
  private let decimal = ValueFormat<FixedDecimal>.decimal

  /// Reads the prices in `section`: `per_million_tokens`, `per_minute` and similar keys.
  func decodeTable(from section: inout Section) -> PriceTable {
    var table = PriceTable()
    if let node = section.node("per_million_tokens") {
      Section.read(node, "per_million_tokens", section.context) { tokens in
        for quantity in PricedQuantity.tokens {
          table[quantity] = tokens.optional(quantity.priceKey, decimal)
        }
      }
    }
    for quantity in PricedQuantity.allCases where quantity.unit != .token {
      guard let node = section.node(quantity.priceKey) else { continue }
      if quantity == .image, case .mapping(let sizes) = node.content {
        table.images = decodeImages(sizes, section.context)
      } else {
        table[quantity] = decimal.read(node, quantity.priceKey, section.context)
      }
    }
    return table
  }

  /// Reads a table and its steps under `above_input_tokens`.
  func decodeStepped(from section: inout Section) -> SteppedPrices {
    let table = decodeTable(from: &section)
    let context = section.context
    var steps: [Int64: PriceTable] = [:]
    for entry in section.entries("above_input_tokens") {
      guard let tokens = wholeNumber(entry.key), tokens > 0, tokens <= Usage.largestCount else {
        context.mistake(
          entry.keyMark,
          "\(quoted(entry.key)) is not a number of input tokens; allowed: such as 272000")
        continue
      }
      steps[tokens] = Section.read(entry.value, entry.key, context) { decodeTable(from: &$0) }
    }
    return SteppedPrices(table, aboveInputTokens: steps)
  }

  /// Reads `tiers`: tables with their steps, by name.
  func decodeTiers(from section: inout Section) -> [String: SteppedPrices] {
    decodeNamed("tiers", each: "a tier", from: &section)
  }

  /// Reads `completion_windows`, which have the format of tiers.
  func decodeWindows(from section: inout Section) -> [String: SteppedPrices] {
    decodeNamed("completion_windows", each: "a completion window", from: &section)
  }

  private func decodeNamed(
    _ key: String, each kind: String, from section: inout Section
  ) -> [String: SteppedPrices] {
    let context = section.context
    var named: [String: SteppedPrices] = [:]
    for entry in section.entries(key) {
      if !EntityName.isValid(entry.key) {
        context.mistake(
          entry.keyMark,
          "\(quoted(entry.key)) is not the name of \(kind); allowed: \(EntityName.rule)")
      }
      named[entry.key] = Section.read(entry.value, entry.key, context) {
        decodeStepped(from: &$0)
      }
    }
    return named
  }

  /// Reads `surcharges: { web_search: { per_call: "0.01" } }`.
  func decodeSurcharges(from section: inout Section) -> [String: FixedDecimal] {
    let context = section.context
    var surcharges: [String: FixedDecimal] = [:]
    for entry in section.entries("surcharges") {
      surcharges[entry.key] = Section.read(entry.value, entry.key, context) {
        $0.required("per_call", decimal)
      }
    }
    return surcharges
  }

  /// Reads `containers: { 1g: "0.03" }`.
  func decodeContainers(from section: inout Section) -> [String: FixedDecimal] {
    let context = section.context
    var containers: [String: FixedDecimal] = [:]
    for entry in section.entries("containers") {
      if !EntityName.isValid(entry.key) {
        context.mistake(
          entry.keyMark,
          "\(quoted(entry.key)) is not the memory of a container; allowed: such as 1g, 4g, "
            + "16g, 64g")
      }
      containers[entry.key] = decimal.read(entry.value, entry.key, context)
    }
    return containers
  }

  /// Reads `{ SIZE: { QUALITY: price } }`.
  private func decodeImages(
    _ sizes: [YAMLEntry], _ context: DecodingContext
  ) -> [ImageVariant: FixedDecimal] {
    var images: [ImageVariant: FixedDecimal] = [:]
    for size in sizes {
      guard case .mapping(let qualities) = size.value.content else {
        context.mistake(
          size.value.mark,
          "\(size.key): \(size.value.kindName) is not valid; allowed: a mapping of qualities to "
            + "prices, such as { standard: \"0.04\" }")
        continue
      }
      for quality in qualities {
        images[ImageVariant(size: size.key, quality: quality.key)] =
          decimal.read(quality.value, quality.key, context)
      }
    }
    return images
  }
}
