internal import Budgets
internal import Money
internal import Pricing

/// Reads a configuration folder: `catraca.yaml`, and the files that it names.
///
/// The loader gets its disk and its environment as parameters. A load reads everything it can, so
/// that all mistakes of all files are reported at once.
public struct ConfigurationLoader: Sendable {
  /// The largest configuration file: enough for several hundred thousand clients.
  static let largestFile = 256 << 20

  private let folder: String
  private let files: any FileSource
  private let environment: [String: String]
  private let missingSecrets: MissingSecrets

  /// - Parameters:
  ///   - folder: The folder of `catraca.yaml`. Mistakes name files relative to it.
  ///   - environment: The variables that `api_key_env` and similar settings may name.
  public init(
    folder: String, files: any FileSource = DiskFiles(), environment: [String: String],
    missingSecrets: MissingSecrets
  ) {
    self.folder = folder
    self.files = files
    self.environment = environment
    self.missingSecrets = missingSecrets
  }

  /// Returns the settings of the folder, with warnings.
  /// - Throws: `ConfigurationError` with every mistake.
  public func load() throws(ConfigurationError) -> LoadedConfiguration {
    try attempt().result.get()
  }

  /// Performs one load, and records the files that it tried to read.
  ///
  /// - Parameter known: The clients of an earlier load. They are reused if their file is unchanged.
  func attempt(knowing known: DecodedClients? = nil) -> LoadAttempt {
    let recorded = RecordedFiles(files)
    let diagnostics = DiagnosticCollector()
    var clients = known
    let settings = readSettings(recorded, diagnostics, &clients)
    let result: Result<LoadedConfiguration, ConfigurationError> =
      if let settings, !diagnostics.hasMistakes {
        .success(
          LoadedConfiguration(
            settings: settings, warnings: diagnostics.warnings, digest: recorded.documentsDigest))
      } else {
        .failure(.mistakes(diagnostics.mistakes))
      }
    return LoadAttempt(result: result, clients: clients, fingerprints: recorded.fingerprints)
  }

  /// Returns the fingerprints of the files' current contents.
  func fingerprints(of paths: some Sequence<String>) -> [String: Int?] {
    let recorded = RecordedFiles(files)
    for path in paths { recorded.note(path, atMost: Self.largestFile) }
    return recorded.fingerprints
  }

  /// Returns the stamp of each file's last write.
  func stamps(of paths: some Sequence<String>) -> [String: FileStamp?] {
    var stamps: [String: FileStamp?] = [:]
    for path in paths { stamps[path] = .some(files.stamp(of: path)) }
    return stamps
  }

  private func readSettings(
    _ recorded: RecordedFiles, _ diagnostics: DiagnosticCollector, _ clients: inout DecodedClients?
  ) -> Settings? {
    let reader = DocumentReader(
      folder: folder, diagnostics: diagnostics,
      secrets: SecretSources(
        environment: environment, files: recorded, missing: missingSecrets))
    guard let (root, context) = reader.read(MainFile.name, namedBy: nil) else { return nil }
    let main = MainFile(root, context)
    let prices = readPrices(main, context, reader)
    checkUnknownModel(main, prices, context)
    return Settings(
      proxy: main.proxy, admin: main.admin, providers: main.providers, prices: prices,
      clients: readClients(main, context, reader, &clients), ledger: main.ledger, rates: main.rates,
      admission: main.admission, metering: main.metering, limits: main.limits, log: main.log,
      alerts: main.alerts, widget: main.widget, payments: main.payments)
  }

  private func readPrices(
    _ main: MainFile, _ mainContext: DecodingContext, _ reader: DocumentReader
  ) -> [ProviderPrices] {
    var prices: [ProviderPrices] = []
    for reference in main.pricing {
      let document = reader.read(reference.path, namedBy: (mainContext, reference.mark))
      guard let (root, context) = document,
        let decoded = PricingFileDecoder.decode(
          root, file: reference.path, providers: main.providers.map(\.name), context: context)
      else { continue }
      if let other = prices.first(where: { $0.provider == decoded.provider }) {
        mainContext.mistake(
          reference.mark,
          "pricing: \(other.file) has the prices of \(other.provider) already; "
            + "allowed: one file a provider")
        continue
      }
      prices.append(decoded.asServed(by: main.providers))
    }
    return prices
  }

  private func readClients(
    _ main: MainFile, _ mainContext: DecodingContext, _ reader: DocumentReader,
    _ clients: inout DecodedClients?
  ) -> ClientRegistry {
    let text =
      if let reference = main.clients {
        reader.text(reference.path, namedBy: (mainContext, reference.mark))
      } else {
        reader.textIfPresent(MainFile.defaultClients)
      }
    guard let text, let fingerprint = reader.secrets.files.fingerprint(of: text.path) else {
      return .empty
    }
    let origin = DecodedClients.Origin(
      path: text.path, fingerprint: fingerprint, rates: main.rates,
      providers: main.providers.map(\.name))
    let files = reader.secrets.files
    if let clients, clients.isCurrent(origin, in: files) { return clients.registry }
    clients = nil
    let mistakesBefore = reader.diagnostics.mistakeCount
    guard let (root, context) = reader.document(text) else { return .empty }
    let registry = ClientsDecoder.decode(
      root, context: context, rates: main.rates, providers: origin.providers)
    if reader.diagnostics.mistakeCount == mistakesBefore {
      let paths = registry.secretFiles.map(context.resolve)
      clients = DecodedClients(
        origin: origin, registry: registry,
        secrets: Dictionary(paths.map { ($0, files.fingerprint(of: $0)) }) { first, _ in first })
    }
    return registry
  }

  private func checkUnknownModel(
    _ main: MainFile, _ prices: [ProviderPrices], _ context: DecodingContext
  ) {
    guard case .priced(let model) = main.metering.unknownModel else { return }
    let isPriced = prices.contains { provider in
      provider.models.contains { $0.name == model || $0.aliases.contains(model) }
    }
    if !isPriced {
      context.mistake(
        main.meteringMark,
        "unknown_model: no pricing file has the model \(quoted(model)); allowed: one that has a "
          + "price")
    }
  }
}

extension ProviderPrices {
  /// Returns the prices with the configuration's settings of their provider.
  fileprivate func asServed(by providers: [Provider]) -> ProviderPrices {
    guard let served = providers.first(where: { $0.name == provider }) else { return self }
    var prices = self
    prices.priceFactor = served.priceFactor
    prices.automaticTier = served.automaticTier ?? prices.automaticTier
    return prices
  }
}

/// The settings, with warnings about them.
public struct LoadedConfiguration: Sendable {
  public let settings: Settings
  /// The warnings in the order of files and lines.
  public let warnings: [Diagnostic]
  /// The SHA-256 of all files without secrets, as 64 hexadecimal digits.
  public let digest: String
}

/// The result of one load.
struct LoadAttempt {
  let result: Result<LoadedConfiguration, ConfigurationError>
  /// The clients of their file; nil if it has mistakes.
  let clients: DecodedClients?
  /// The fingerprint of each file that the load requested, by path; nil if it couldn't be read.
  let fingerprints: [String: Int?]
}

/// The reason that a configuration can't be used.
public enum ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Every mistake of every file, sorted by file, line and column.
  case mistakes([Diagnostic])

  /// One mistake per line.
  public var description: String {
    switch self {
    case .mistakes(let mistakes): mistakes.map(\.description).joined(separator: "\n")
    }
  }
}
