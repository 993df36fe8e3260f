internal import Configuration
internal import EventLoop
internal import Upstream

/// Whether each address is free or a server of ours answers there, and who can reach it.
struct ListenerCheck {
  let caller: ServiceCaller

  /// How long a server on this machine may take to answer.
  private static let patience = Duration.seconds(5)

  /// One of the two listeners.
  private struct Listener {
    let name: String
    let addresses: [SocketAddress]
    let tls: TLSFiles?
    /// The status with which a running server answers a request without a key.
    let path: String
  }

  func findings(_ settings: Settings) async -> [Finding] {
    let listeners = [
      Listener(
        name: "proxy", addresses: settings.proxy.listen, tls: settings.proxy.tls,
        path: "/healthz"),
      Listener(
        name: "admin", addresses: settings.admin.listen, tls: settings.admin.tls, path: "/readyz"),
    ]
    var findings: [Finding] = []
    for listener in listeners {
      for address in listener.addresses {
        findings.append(await use(of: address, by: listener))
        findings += ListenerCheck.exposure(
          of: address, listener: listener.name, isEncrypted: listener.tls != nil)
      }
    }
    return findings
  }

  private func use(of address: SocketAddress, by listener: Listener) async -> Finding {
    let subject = "\(listener.name): \(address)"
    if address.port == 0 { return .ok(.listener, "\(subject) takes a free port") }
    do throws(SystemError) {
      try ListeningSocket.checkIsFree(address)
      return .ok(.listener, "\(subject) is free")
    } catch {
      guard error.isInUse else {
        return .problem(
          .listener, "\(subject): \(error)",
          advice: "Listen on an address of this machine, on a port that its user may take.")
      }
    }
    let scheme = listener.tls == nil ? "http" : "https"
    let result = await caller.get(
      "\(scheme)://\(address.reachable)\(listener.path)", authorities: listener.tls?.certificate,
      within: ListenerCheck.patience)
    return ListenerCheck.answer(result.map(\.status), subject: subject, path: listener.path)
  }

  static func answer(
    _ result: Result<Int, UpstreamError>, subject: String, path: String
  ) -> Finding {
    switch result {
    case .success(200):
      .ok(.listener, "\(subject): a server answers \(path) with 200")
    case .success(503):
      .problem(
        .listener, "\(subject): a server answers \(path) with 503",
        advice: "Look for ledger_unavailable in its log, and for what it says of the reason.")
    case .success(let status):
      .problem(
        .listener, "\(subject): somebody else answers \(path) with \(status)",
        advice: "Stop what listens there, or choose another port.")
    case .failure(.unreachable(.certificate)), .failure(.unreachable(.handshake)):
      .warning(
        .listener, "\(subject): is taken; whoever answers wants or shows a certificate",
        advice: "Make sure that it is this server.")
    case .failure:
      .problem(
        .listener, "\(subject): is taken, and doesn't answer HTTP",
        advice: "Stop what listens there, or choose another port.")
    }
  }

  static func exposure(
    of address: SocketAddress, listener: String, isEncrypted: Bool
  ) -> [Finding] {
    guard !address.isLoopback, !isEncrypted else { return [] }
    let what = listener == "admin" ? "tokens and all figures" : "keys and answers"
    return [
      .warning(
        .listener,
        "\(listener): \(address) is reached by other machines, and \(what) pass in the clear",
        advice: "Give it tls, or make sure that what stands before it encrypts.")
    ]
  }
}

extension SocketAddress {
  /// The same on this machine, where it stands for all addresses.
  fileprivate var reachable: String {
    let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
    return SocketAddress(host: host, port: port)?.description ?? description
  }
}
