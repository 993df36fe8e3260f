public import Configuration
public import JSON
internal import Ledger
internal import Money
internal import Time

/// A client as the API shows it.
struct ClientJSON {
  let client: Client
  /// The ledger's record; nil for a client that `clients.yaml` declares.
  private let stored: StoredClient?

  init(_ client: Client, _ stored: StoredClient?) {
    self.client = client
    self.stored = client.line == nil ? stored : nil
  }

  static let fields =
    ([
      .field("id", \.client.id), .field("name", \.client.name),
      .field("plan", \.client.plan), .markup { $0.client.markup },
      .field("timezone", \.client.timeZone.identifier),
      .choice("status", \.client.status),
      .source { $0.client.line != nil },
      .field("payment_customer_id", \.client.paymentCustomerID),
      .field("metadata", \.metadata),
      .field("provider_keys", as: providerKeys) { client in
        AnswerJSON { $0.providerKeys(client.client.providerKeys) }
      },
      .field("created_at", \.stored?.createdAt), .field("updated_at", \.stored?.updatedAt),
    ] as AnswerFields<ClientJSON>).named("Client")

  private static let providerKeys = JSONSchema.map(
    of: .object((["api_key_env": .anyText, "api_key_file": .anyText] as Fields).optional))

  private var metadata: AnswerJSON {
    if let stored { return AnswerJSON(stored.metadata) }
    return AnswerJSON { metadata in
      metadata.object { object in
        for (key, value) in client.metadata.sorted(by: { $0.key < $1.key }) {
          object.member(key, value)
        }
      }
    }
  }
}

extension JSONWriter {
  /// Writes where a client's own provider keys are stored, and never a key itself:
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
