internal import Money

/// The contents of `catraca.yaml`, with the other files that it names.
struct MainFile {
  /// A path in the file, and the place where it is written.
  struct FileReference {
    let path: String
    let mark: YAMLMark
  }

  static let name = "catraca.yaml"
  static let defaultClients = "clients.yaml"
  /// The most pricing files.
  static let pricingCapacity = 100

  var proxy = ProxySettings()
  var admin = AdminSettings()
  var providers: [Provider] = []
  var pricing: [FileReference] = []
  /// The clients file; nil if the file names none.
  var clients: FileReference?
  var ledger = LedgerSettings()
  var rates = ExchangeRates.usdOnly
  var admission = AdmissionSettings()
  var metering = MeteringSettings()
  /// The place of `metering`, for checks that need the price book.
  var meteringMark = YAMLMark.start
  var limits = Limits()
  var log = LogSettings()
  var alerts = AlertSettings()
  var widget = WidgetSettings()
  var payments = PaymentSettings.none

  /// Reads correct values and reports wrong ones. Missing values have their defaults.
  init(_ root: YAMLNode, _ context: DecodingContext) {
    Section.read(root, Self.name, context) { section in
      proxy = section.optional("proxy", .proxy) ?? proxy
      admin = section.optional("admin", .admin) ?? admin
      providers = Provider.decodeAll(from: &section)
      pricing = Self.references(section.items("pricing"), context)
      clients = section.node("clients").flatMap { Self.references([$0], context).first }
      ledger = section.optional("ledger", .ledger) ?? ledger
      if let node = section.node("currency") {
        let currency = section.optional("currency", ValueFormat<CurrencySettings>.table)
        rates = currency?.exchangeRates(context, at: node["billing"]?.mark ?? node.mark) ?? rates
      }
      admission = section.optional("budgets", .table) ?? admission
      metering = section.optional("metering", .table) ?? metering
      meteringMark = section.node("metering")?["unknown_model"]?.mark ?? section.mark
      metering.warnOfUnownedObjects(section.node("metering"), context)
      limits = section.optional("limits", .limits) ?? limits
      log = section.optional("log", .table) ?? log
      alerts = section.optional("alerts", .table) ?? alerts
      widget = section.optional("widget", .table) ?? widget
      payments = section.optional("payments", .payments) ?? payments
    }
  }

  private static func references(
    _ nodes: [YAMLNode], _ context: DecodingContext
  ) -> [FileReference] {
    if nodes.count > pricingCapacity {
      context.mistake(nodes[pricingCapacity].mark, "too many files; allowed: \(pricingCapacity)")
      return []
    }
    return nodes.compactMap { node in
      ValueFormat<String>.text(atMost: 4096).read(node, "path", context)
        .map { FileReference(path: $0, mark: node.mark) }
    }
  }
}
