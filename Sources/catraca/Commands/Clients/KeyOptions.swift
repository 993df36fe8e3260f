internal import Configuration
internal import Ledger
internal import Pricing

/// What the commands about keys take.
enum KeyOptions {
  static let client = Parameter(
    "client", ArgumentFormat<String>.name("C"), "the client whose key it is", isRequired: true)
  static let name = Parameter(
    "name", ArgumentFormat<String>.name("N"), "the key's name", isRequired: true)
  static let models = Parameter(
    "models", ArgumentFormat<[ModelPattern]>.list(of: .modelPattern),
    "only these models, * for any text; else all")
  static let operations = Parameter(
    "operations", ArgumentFormat<[Operation]>.list(of: .choice("O")),
    "only this kind of work, such as chat,embedding; else all")
  static let expires = Parameter(
    "expires", ArgumentFormat<Moment>.moment,
    "when it stops to work, a date in the client's time zone; else never")
  static let requestsPerMinute = Parameter(
    "requests-per-minute", ArgumentFormat<Int64>.integer(1...1_000_000_000),
    "how many requests a minute; else no limit")
  static let tokensPerMinute = Parameter(
    "tokens-per-minute", ArgumentFormat<Int64>.integer(1...1_000_000_000),
    "how many tokens a minute; else no limit")
}
