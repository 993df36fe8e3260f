internal import Money

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
