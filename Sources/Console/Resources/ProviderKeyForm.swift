public import Configuration
public import JSON

extension JSONWriter {
  /// Writes where a client's own keys are, by the names of their providers, and never a key:
  /// `{"openai":{"api_key_env":"ACME_OPENAI_KEY"}}`.
  public mutating func providerKeys(_ keys: [ProviderKey]) {
    object { object in
      for key in keys.sorted(by: { $0.provider < $1.provider }) {
        object.member(key.provider) { source in
          source.object { source in
            switch key.secret.source {
            case .environment(let variable): source.member("api_key_env", variable)
            case .file(let path): source.member("api_key_file", path)
            }
          }
        }
      }
    }
  }
}
