internal import Configuration
internal import Metering
internal import Pricing
internal import Time

/// The quantities that a provider's answers can report and that its pricing file has no price for.
/// `catraca check` warns of them before an answer shows one.
struct PriceGaps {
  let file: ProviderPrices
  let now: Timestamp

  /// Models of a file that are told one by one.
  static let mostTold = 20

  static func warnings(_ files: [ProviderPrices], at now: Timestamp) -> [String] {
    files.flatMap { PriceGaps(file: $0, now: now).warnings }
  }

  private var reports: ProviderReports { ProviderReports(provider: file.provider) }

  private var warnings: [String] {
    var told: [String] = []
    for model in file.models {
      let missing = missing(of: model)
      if missing.isEmpty { continue }
      told.append(
        "\(file.file): \(model.name) has no price for \(PriceGaps.listed(missing)): what answers "
          + "report of it is charged at the dearest rate of its unit")
    }
    if told.count > PriceGaps.mostTold {
      let count = told.count - PriceGaps.mostTold
      told =
        told.prefix(PriceGaps.mostTold) + [
          "\(file.file): \(CheckCommand.counted(count, "further model")) with missing prices"
        ]
    }
    return told + warningsOfTools
  }

  // MARK: Quantities

  /// The quantities that a model's answers can report and its prices lack, now or later.
  private func missing(of model: ModelDeclaration) -> [PricedQuantity] {
    let tables = tables(of: model)
    guard tables.allSatisfy({ $0[.input] != nil }) else { return [] }
    let reported =
      reports.quantities(of: model.name, for: model.operation)
      .union(pricedByMost(likePriced: model))
    return PricedQuantity.allCases.filter { quantity in
      reported.contains(quantity) && tables.contains { $0[quantity] == nil }
    }
  }

  /// The model's prices without those that have ended.
  private func tables(of model: ModelDeclaration) -> [PriceTable] {
    let inForce = model.prices.lastIndex { dated in
      dated.from.map { TimeZoneRules.utc.startOfDay($0) <= now } ?? true
    }
    return model.prices[(inForce ?? 0)...].map(\.base.table)
  }

  /// The prices that a model of an unknown provider should have: quantities that its endpoints can
  /// report, and that most of the file's other models of the operation have a price for.
  private func pricedByMost(likePriced model: ModelDeclaration) -> [PricedQuantity] {
    guard reports == .unknown else { return [] }
    let others = file.models.filter {
      $0.operation == model.operation && $0.name != model.name
    }
    return Endpoints.reportableQuantities(of: model.operation).filter { quantity in
      let count = others.count { tables(of: $0).allSatisfy { $0[quantity] != nil } }
      return count * 2 > others.count
    }
  }

  private static func listed(_ quantities: [PricedQuantity]) -> String {
    quantities.map(\.priceKey).joined(separator: ", ")
  }

  // MARK: Tools

  private var warningsOfTools: [String] {
    let models = file.models.filter { Endpoints.runsTools($0.operation) }
    if models.isEmpty { return [] }
    var names = reports.pricedTools.filter { name in
      file.surcharges[name] == nil && models.contains { $0.surcharges[name] == nil }
    }
    if reports.billsContainers, file.containers.isEmpty, file.surcharges[containerPrice] == nil {
      names.append("sessions of containers")
    }
    return names.map { name in
      "\(file.file): no price for \(name), which \(file.provider) bills outside of tokens: such "
        + "calls are recorded and not charged"
    }
  }

  /// The surcharge by which files without `containers` price any of them.
  private var containerPrice: String { ContainerPrice.surcharge }
}
