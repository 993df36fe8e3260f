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
  }

  let origin: Origin
  let registry: ClientRegistry
}
