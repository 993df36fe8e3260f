internal import Money

/// The clients of a file without mistakes, and what they were decoded from: as long as that is the
/// same, so are they. There may be hundreds of thousands, which take a second to decode.
struct DecodedClients: Sendable {
  struct Origin: Hashable, Sendable {
    let path: String
    /// Of the file's bytes.
    let fingerprint: Int
    /// By which limits in other currencies are understood.
    let rates: ExchangeRates
    /// The providers that keys can be of.
    let providers: [String]
  }

  let origin: Origin
  let registry: ClientRegistry
  /// By path, what was in each file of a secret that the clients name; nil where it can't be read.
  let secrets: [String: Int?]

  /// Whether the clients would be decoded to the same again. Records all files of secrets, so that
  /// they are watched.
  func isCurrent(_ origin: Origin, in files: RecordedFiles) -> Bool {
    guard origin == self.origin else { return false }
    for path in secrets.keys { files.note(path, atMost: ConfigurationLoader.largestFile) }
    return secrets.allSatisfy { files.fingerprints[$0.key] == .some($0.value) }
  }
}
