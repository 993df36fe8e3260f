internal import Money
public import Pricing

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
      metering.warnOfHoles(section.node("metering"), context)
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

/// Reads pricing files alone, without the configuration that names them.
public struct PricingFiles: Sendable {
  private let files: any FileSource

  public init(_ files: any FileSource = DiskFiles()) {
    self.files = files
  }

  /// Returns the prices of these files, in their order.
  /// - Throws: `ConfigurationError` with every mistake.
  public func read(_ paths: [String]) throws(ConfigurationError) -> [ProviderPrices] {
    let diagnostics = DiagnosticCollector()
    let reader = DocumentReader(
      folder: "", diagnostics: diagnostics,
      secrets: SecretSources(
        environment: [:], files: RecordedFiles(files), missing: .tolerated))
    let prices = paths.compactMap { path in
      reader.read(path, namedBy: nil).flatMap { document in
        PricingFileDecoder.decode(
          document.root, file: path, providers: nil, context: document.context)
      }
    }
    guard !diagnostics.hasMistakes else { throw .mistakes(diagnostics.mistakes) }
    return prices
  }
}

/// The clients of a file without mistakes, and the inputs of their decoding. While the inputs are
/// the same, the clients are too. Decoding hundreds of thousands of clients takes a second.
struct DecodedClients: Sendable {
  struct Origin: Hashable, Sendable {
    let path: String
    /// The fingerprint of the file's bytes.
    let fingerprint: Int
    /// The rates by which limits in other currencies are checked.
    let rates: ExchangeRates
    /// The providers that keys can belong to.
    let providers: [String]
  }

  let origin: Origin
  let registry: ClientRegistry
  /// The fingerprint of each secret file that the clients name, by path; nil if it can't be read.
  let secrets: [String: Int?]

  /// Whether decoding again would give the same clients. Records all secret files, so that they are
  /// watched.
  func isCurrent(_ origin: Origin, in files: RecordedFiles) -> Bool {
    guard origin == self.origin else { return false }
    for path in secrets.keys { files.note(path, atMost: ConfigurationLoader.largestFile) }
    return secrets.allSatisfy { files.fingerprints[$0.key] == .some($0.value) }
  }
}
