/// What the commands about one client take.
enum ClientOptions {
  static let id = Parameter(
    "id", ArgumentFormat<String>.name("ID"), "the client's id", isRequired: true)
  static let common: [any ParameterDescription] = [
    CommonOptions.config, CommonOptions.ledger, CommonOptions.format,
  ]
}
