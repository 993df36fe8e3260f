internal import Money

/// `catraca.yaml`, and the other files that it names.
struct MainFile {
  /// A path in the file, and where it stands there.
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
  /// Nil when the file doesn't say.
  var clients: FileReference?
  var ledger = LedgerSettings()
  var rates = ExchangeRates.usdOnly
  var admission = AdmissionSettings()
  var metering = MeteringSettings()
  /// Where `metering` stands, for what can be checked only with the price book.
  var meteringMark = YAMLMark.start
  var limits = Limits()
  var log = LogSettings()
  var alerts = AlertSettings()
  var widget = WidgetSettings()
  var payments = PaymentSettings.none

  /// Reads what is right and reports what is wrong; what is missing has its default.
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
