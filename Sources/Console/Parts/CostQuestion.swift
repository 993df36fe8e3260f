internal import Money
internal import Pages
internal import Pricing

/// A form that asks what a request would cost, and the answer below it.
struct CostQuestion {
  private let pageRequest: PageRequest
  private let model: String?
  private let input: String?
  private let output: String?
  private let cached: String?
  private let tier: String?
  private let window: String?
  private let container: String?

  init(_ pageRequest: PageRequest) throws(APIError) {
    self.pageRequest = pageRequest
    let query = pageRequest.call.query
    model = try query.text("model")
    input = try query.text("in")
    output = try query.text("out")
    cached = try query.text("cached")
    tier = try query.text("tier")
    window = try query.text("window")
    container = try query.text("container")
  }

  var html: HTML {
    let reader = pageRequest.reader
    let form = FilterForm(
      SitePath.prices,
      [
        FilterField.text("model", reader(.model), model),
        FilterField.text("in", reader(.inputTokens), input),
        FilterField.text("cached", reader(.cached), cached),
        FilterField.text("out", reader(.outputTokens), output),
        FilterField.text("tier", reader(.serviceTier), tier, hint: "batch, flex, priority"),
        FilterField.text("window", reader(.completionWindow), window, hint: "2h, 8h"),
        FilterField.text("container", reader(.containerMemory), container, hint: "1g, 4g, 16g"),
      ], button: reader(.compute))
    return "\(form.html)\(answer)"
  }

  private var answer: HTML? {
    guard let model else {
      let asks = [input, output, cached, tier, window, container].contains { $0 != nil }
      return asks ? problem(.modelIsMissing) : nil
    }
    let reader = pageRequest.reader
    guard let priced = pageRequest.call.server.model(model, of: nil, for: "") else {
      return problem(.unknownModel)
    }
    guard let usage else { return problem(.unusableCounts) }
    if let tier, !priced.hasPrice(of: .tier(tier), at: pageRequest.now) {
      return problem(.noTierPrice)
    }
    if let window, priced.declaredPrices(at: pageRequest.now)?.completionWindows[window] == nil {
      return problem(.noWindowPrice)
    }
    if let container, priced.containers[container] == nil {
      return problem(.noContainerPrice)
    }
    do throws(PricingError) {
      let context = PricingContext(
        instant: pageRequest.now, tier: tier, completionWindow: window,
        calls: container.map { [ContainerPrice.name(ofSize: $0)] } ?? [])
      let tariff = try priced.tariff(in: context, inputTokens: usage.inputTokens)
      let cost = try tariff.cost(of: usage)
      let billed: HTML? =
        cost.billed.currency == .usd
        ? nil : #" = <strong>\#(reader.exactMoney(cost.billed))</strong>"#
      let factor = tariff.origin.priceFactor
      let explanation: HTML? =
        factor == .one
        ? nil
        : #"<p class="small soft">\#(reader(.priceFactor(reader.decimal("\(factor)"))))</p>"#
      return #"""
        <div id="cost">\#(CostLines(tariff.lines(of: usage), reader).html)\#
        <p><strong>\#(reader.exactMoney(cost.nanoUSD))</strong>\#(billed)</p>\#(explanation)</div>
        """#
    } catch {
      return problem(.noPrice)
    }
  }

  private func problem(_ phrase: Phrase) -> HTML {
    #"<p role="alert" class="card notice exceeded">\#(pageRequest.reader(phrase))</p>"#
  }

  private var usage: Usage? {
    func count(_ text: String?) -> Int64? {
      guard let text else { return 0 }
      return Int64(pageRequest.reader.plainDecimal(text))
    }
    guard let input = count(input), let output = count(output), let cached = count(cached) else {
      return nil
    }
    return Usage(
      inputTokens: input, cachedInputTokens: cached, outputTokens: output,
      calls: container == nil ? 0 : 1)
  }
}

/// A table of a cost: for each item its quantity, its unit price and what it costs.
struct CostLines {
  private let lines: [CostLine]
  private let reader: Reader

  init(_ lines: [CostLine], _ reader: Reader) {
    self.lines = lines
    self.reader = reader
  }

  var html: HTML {
    let rows = lines.map { line -> HTML in
      let mark: HTML? =
        line.isUnpriced
        ? #" <span class="chip attention">\#(reader(.dearestRate))</span>"# : nil
      return #"""
        <tr><th scope="row">\#(reader(.name(of: line.quantity)))\#(mark)</th>\#
        <td class="figure">\#(reader.number(line.amount))</td>\#
        <td class="figure">\#(reader.decimal(line.unitPrice.decimalText))</td>\#
        <td class="figure">\#(reader.decimal(line.cost.decimalText))</td></tr>
        """#
    }
    return TableView(
      reader(.quantitiesAndPrices),
      [
        .text(reader(.item)), .figure(reader(.quantity)), .figure(reader(.unitPrice)),
        .figure(reader(.costUSD)),
      ], rows, empty: reader(.notPriced)
    ).html
  }
}
