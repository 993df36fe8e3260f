public import Configuration
public import JSON
internal import Ledger
internal import Money
internal import Time

/// A client as the API shows it.
enum ClientJSON {
  private static let largestMetadata = 4096

  static let schema = JSONSchema.named(
    "Client",
    .object([
      "id": .anyText, "name": .anyText, "plan": .anyText.orNull, "markup": .markup.orNull,
      "timezone": .anyText,
      "status": .choice(of: Client.Status.self), "source": .source,
      "payment_customer_id": .anyText.orNull, "metadata": .freeObject,
      "provider_keys": .map(
        of: .object((["api_key_env": .anyText, "api_key_file": .anyText] as Fields).optional)),
      "created_at": .instant.orNull, "updated_at": .instant.orNull,
    ]))

  /// - Parameter stored: The ledger's record; nil for a client that `clients.yaml` declares.
  static func write(_ client: Client, _ stored: StoredClient?, to writer: inout JSONWriter) {
    let isDeclared = client.line != nil
    writer.object { object in
      object.member("id", client.id)
      object.member("name", client.name)
      object.member("plan", client.plan)
      object.member("markup", client.markup?.description)
      object.member("timezone", client.timeZone.identifier)
      object.member("status", client.status.rawValue)
      object.member("source", isDeclared ? "file" : "api")
      object.member("payment_customer_id", client.paymentCustomerID)
      object.member("metadata") { metadata in
        if let stored, !isDeclared {
          metadata.raw(stored.metadata.utf8)
        } else {
          metadata.object { object in
            for (key, value) in client.metadata.sorted(by: { $0.key < $1.key }) {
              object.member(key, value)
            }
          }
        }
      }
      object.member("provider_keys") { $0.providerKeys(client.providerKeys) }
      object.member("created_at", isDeclared ? nil : stored?.createdAt.rfc3339)
      object.member("updated_at", isDeclared ? nil : stored?.updatedAt.rfc3339)
    }
  }

  /// The field `metadata` as JSON text: any object, at most 4 KiB; nil if the field is absent.
  static func metadata(in body: Body) throws(APIError) -> String? {
    guard let value = body.value("metadata") else { return nil }
    var writer = JSONWriter()
    writer.value(value)
    guard value.kind == .object, value.repeatedKey == nil, writer.bytes.count <= largestMetadata
    else { throw .invalidValue("metadata", allowed: "an object, at most 4 KiB") }
    return String(decoding: writer.bytes, as: UTF8.self)
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
