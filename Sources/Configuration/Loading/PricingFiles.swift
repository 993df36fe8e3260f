public import Pricing

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
