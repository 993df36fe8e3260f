import Configuration
import Pricing
import Testing

@Suite struct ShippedConfigurationTests {
  /// The repository's `config` folder.
  private var folder: String {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/") + "/config"
  }

  private func load(_ missingSecrets: MissingSecrets) throws -> LoadedConfiguration {
    try ConfigurationLoader(folder: folder, environment: [:], missingSecrets: missingSecrets)
      .load()
  }

  @Test("The configuration that Catraca comes with is valid without an edit")
  func valid() throws {
    let loaded = try load(.tolerated)
    #expect(loaded.settings.providers.map(\.name) == ["openai", "groq"])
    #expect(loaded.settings.prices.map(\.provider) == ["openai", "groq"])
    #expect(loaded.settings.limits == Limits())
    #expect(loaded.settings.clients.client("acme") != nil)
    #expect(loaded.warnings.count == 2)
  }

  @Test("It serves only with the providers' keys")
  func missingKeys() {
    #expect(throws: ConfigurationError.self) { try load(.refused) }
  }

  @Test("Files of the disk are read whole, and no further than allowed")
  func disk() throws {
    let path = folder + "/catraca.yaml"
    let bytes = try DiskFiles().read(path, atMost: 1 << 20)
    #expect(bytes.starts(with: "# Catraca".utf8) && bytes.last == UInt8(ascii: "\n"))
    #expect(throws: FileError.tooLarge(limit: bytes.count - 1)) {
      try DiskFiles().read(path, atMost: bytes.count - 1)
    }
    #expect(throws: FileError.missing) { try DiskFiles().read(path + "x", atMost: 1) }
    #expect(throws: FileError.unreadable(reason: "Is a directory")) {
      try DiskFiles().read(folder, atMost: 1)
    }
  }
}
