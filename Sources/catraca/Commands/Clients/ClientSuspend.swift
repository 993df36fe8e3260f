internal import Ledger

/// `catraca client suspend ID`.
enum ClientSuspend {
  static let command = Command(
    "client suspend", "refuses a client's requests until it is resumed",
    arguments: [ClientOptions.id], options: ClientOptions.common
  ) { invocation throws(CommandError) in
    try ClientStatusChange.perform(.suspended, invocation)
  }
}
