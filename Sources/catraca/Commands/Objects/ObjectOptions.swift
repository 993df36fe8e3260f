internal import Configuration
internal import Ledger
internal import Objects

/// Parameters of the commands about objects, and the table that shows objects.
enum ObjectOptions {
  static let id = Parameter(
    "id", ArgumentFormat<String>.objectID, "the provider's id of the object", isRequired: true)
  static let provider = Parameter(
    "provider", ArgumentFormat<String>.name("P"), "the provider that keeps the object",
    isRequired: true)
  static let owner = Parameter(
    "client", ArgumentFormat<ProviderObject.Owner>.owner,
    "the client that gets the object; * shares it with all clients", isRequired: true)
  static let kind = Parameter(
    "kind", ArgumentFormat<ObjectKind>.choice("KIND"),
    "what it is; else what the form of its id says, such as file-…")
  static let common: [any ParameterDescription] = [
    CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
  ]

  static let columns = [
    Table.Column("provider", "Provider"), Table.Column("object_id", "Object"),
    Table.Column("kind", "Kind"), Table.Column("client_id", "Client"),
    Table.Column("key_name", "Key"), Table.Column("created_at", "Recorded"),
    Table.Column("deleted_at", "Deleted"),
  ]

  static func row(_ object: ProviderObject) -> [Cell] {
    [
      .text(object.provider), .text(object.objectID), .text(object.kind.rawValue),
      .text(object.owner.text), .optional(object.keyName), .instant(object.createdAt),
      .instant(object.deletedAt),
    ]
  }

  /// The client that is given; throws where there is no such client.
  static func owner(of invocation: Invocation) throws(CommandError) -> ProviderObject.Owner {
    let owner = try invocation.values.required(owner)
    if case .client(let id) = owner { _ = try ClientDirectory(invocation).client(id) }
    return owner
  }

  /// The provider that is given, as the configuration has it.
  static func provider(of invocation: Invocation) throws(CommandError) -> Provider {
    let name = try invocation.values.required(provider)
    let providers = try invocation.settings().providers
    if let provider = providers.first(where: { $0.name == name }) { return provider }
    throw noProvider(name, among: providers)
  }

  static func noProvider(_ name: String, among providers: [Provider]) -> CommandError {
    let names = providers.map(\.name).joined(separator: ", ")
    return .failed("there is no provider '\(name)' in catraca.yaml; allowed: one of \(names)")
  }

  /// The kind that is given, or else that of the id's form.
  ///
  /// - Parameter place: the beginning of an error's text.
  static func kind(
    of id: String, given: ObjectKind?, at place: String = ""
  ) throws(CommandError) -> ObjectKind {
    if let form = ObjectKind(ofAnyID: id) {
      guard given ?? form == form else {
        throw .failed(
          "\(place)the id \(id) has the form of another kind; allowed: \(form.rawValue)")
      }
      return form
    }
    if let given { return given }
    throw .failed("\(place)the form of the id \(id) doesn't say its kind; allowed: --kind \(kinds)")
  }

  private static let kinds = ObjectKind.allCases.map(\.rawValue).joined(separator: "|")
}

extension ArgumentFormat<String> {
  static var objectID: ArgumentFormat {
    ArgumentFormat(
      "ID", allowed: MadeObject.idRule
    ) { ProviderObject.isID($0) ? $0 : nil }
  }
}

extension ArgumentFormat<ProviderObject.Owner> {
  static var owner: ArgumentFormat {
    ArgumentFormat("C", allowed: "\(EntityName.rule); or * for all clients") { text in
      let owner = ProviderObject.Owner(text: text)
      return owner == .everybody || EntityName.isValid(text) ? owner : nil
    }
  }
}
