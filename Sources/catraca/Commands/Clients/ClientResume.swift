internal import Ledger

/// `catraca client resume ID`.
enum ClientResume {
  static let command = Command(
    "client resume", "lets a suspended client's requests through again",
    arguments: [ClientOptions.id], options: ClientOptions.common
  ) { invocation throws(CommandError) in
    try ClientStatusChange.perform(.active, invocation)
  }
}
