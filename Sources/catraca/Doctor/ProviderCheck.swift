internal import Configuration
internal import EventLoop
internal import HTTP
internal import Time
internal import Upstream

/// Whether a provider can be reached and takes our key, by a call that costs nothing; and whether
/// our clock is its clock.
struct ProviderCheck {
  let caller: ServiceCaller
  let now: @Sendable () -> Timestamp

  /// How long a provider may take to answer.
  private static let patience = Duration.seconds(15)
  /// By how many milliseconds clocks may differ; a `Date` has whole seconds, and takes its time.
  static let clockTolerance: Int64 = 5_000

  func findings(_ provider: Provider) async -> [Finding] {
    let begin = now()
    let result = await caller.get(
      "\(provider.baseURL)/models", bearer: provider.apiKey, authorities: provider.caFile,
      within: ProviderCheck.patience)
    let end = now()
    var findings = ProviderCheck.transport(provider)
    switch result {
    case .failure(let error):
      findings.append(ProviderCheck.failure(error, of: provider.name))
    case .success(let answer):
      findings.append(
        ProviderCheck.answer(answer.status, of: provider.name, hasKey: provider.apiKey != nil))
      if let date = answer.fields.first(.date).flatMap({ Timestamp(httpDate: $0) }) {
        findings.append(ProviderCheck.clock(date, of: provider.name, between: begin, and: end))
      }
    }
    return findings
  }

  /// Whether a provider takes a client's own key.
  func finding(_ provider: Provider, withKeyOf client: String) async -> Finding {
    let name = "\(provider.name), with the key of \(client)"
    let result = await caller.get(
      "\(provider.baseURL)/models", bearer: provider.apiKey, authorities: provider.caFile,
      within: ProviderCheck.patience)
    return switch result {
    case .failure(let error): ProviderCheck.failure(error, of: name)
    case .success(let answer): ProviderCheck.answer(answer.status, of: name, hasKey: true)
    }
  }

  private static func transport(_ provider: Provider) -> [Finding] {
    guard provider.baseURL.scheme == .http, !provider.baseURL.isOfThisMachine,
      provider.apiKey != nil
    else { return [] }
    return [
      .warning(
        .provider, "\(provider.name): base_url is http://, so that its key passes in the clear",
        advice: "Use https:// unless nobody else is on that network.")
    ]
  }

  static func answer(_ status: Int, of name: String, hasKey: Bool) -> Finding {
    let said = "\(name): GET /models is answered \(status)"
    return switch status {
    case 200..<300: .ok(.provider, said)
    case 401, 403:
      .problem(
        .provider, said,
        advice: hasKey
          ? "Check the key that api_key_env or api_key_file names: the provider refuses it."
          : "Name the provider's key with api_key_env or api_key_file.")
    case 404:
      .problem(
        .provider, said,
        advice: "Check base_url, which stands for everything up to /v1 of the provider's API.")
    case 429:
      .warning(
        .provider, said, advice: "Look at the account's limits and credit with the provider.")
    case 500...:
      .warning(.provider, said, advice: "Look at the provider's status page, and try again.")
    default:
      .warning(.provider, said, advice: "Check base_url: an API of the OpenAI kind answers 200.")
    }
  }

  static func failure(_ error: UpstreamError, of name: String) -> Finding {
    let (what, advice) =
      switch error {
      case .unreachable(.name):
        ("its host has no address", "Check base_url and this machine's name service.")
      case .unreachable(.certificate):
        (
          "its certificate isn't trusted",
          "Install the system's certificates (ca-certificates), or name the authority in ca_file."
        )
      case .unreachable(.trustStore):
        ("ca_file can't be read", "Make ca_file a readable file of certificates (PEM).")
      case .unreachable(.handshake):
        ("no TLS session could be begun", "Check that base_url is https:// where TLS is spoken.")
      case .unreachable(.address):
        ("base_url isn't an address", "Write base_url as https://HOST/v1.")
      case .unreachable, .tooManyTransfers:
        ("no connection", "Check base_url, the network and its firewall.")
      case .timeout, .cancelled:
        ("no answer in time", "Check the network and its firewall.")
      case .broken, .invalidResponse:
        ("no answer of HTTP", "Check that base_url is that of the provider's API.")
      }
    return .problem(.provider, "\(name): \(what)", advice: advice)
  }

  /// - Parameter date: what the provider took for the time at some instant of the call.
  static func clock(
    _ date: Timestamp, of name: String, between begin: Timestamp, and end: Timestamp
  ) -> Finding {
    // The field has whole seconds: the instant lies within the second that it names.
    let ahead = begin.milliseconds - (date.milliseconds + 999)
    let behind = date.milliseconds - end.milliseconds
    let difference = max(ahead, behind, 0)
    guard difference > clockTolerance else {
      return .ok(.clock, "this machine's clock agrees with that of \(name)")
    }
    return .warning(
      .clock,
      "this machine's clock is \(difference / 1_000) s \(ahead > behind ? "ahead of" : "behind") "
        + "that of \(name)",
      advice: "Synchronize the clock (chrony, systemd-timesyncd): budgets reset by it.")
  }
}

extension BaseURL {
  fileprivate var isOfThisMachine: Bool {
    host == "localhost" || SocketAddress("\(host):0")?.isLoopback == true
  }
}
