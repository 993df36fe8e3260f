import Configuration

/// A configuration file. The first line of an input is its name: `catraca.yaml`, `clients.yaml` or
/// a price file; the others are as small as they may be.
enum ConfigurationFiles {
  static func check(_ input: [UInt8]) {
    let (name, text) = headed(input)
    let loader = ConfigurationLoader(
      folder: "c", files: Files(name: "c/\(name)", text: text), environment: [:],
      missingSecrets: .tolerated)
    do throws(ConfigurationError) {
      _ = try loader.load()
    } catch {
      require(!error.description.isEmpty, "what is wrong is said")
    }
  }

  private struct Files: FileSource {
    let name: String
    let text: [UInt8]

    func stamp(of path: String) -> FileStamp? { nil }

    func read(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
      if path == name { return text }
      switch path {
      case "c/catraca.yaml":
        return Array(
          """
          providers: { openai: { base_url: https://api.openai.com/v1 } }
          pricing: [prices.yaml]
          currency: { billing: BRL, per_usd: { BRL: "5.40" } }
          """.utf8)
      case "c/prices.yaml": return Array("provider: openai\ncurrency: USD\nmodels: {}".utf8)
      case "c/clients.yaml": return Array("clients: {}".utf8)
      default: throw .missing
      }
    }
  }
}
