internal import Configuration
internal import EventLoop
internal import Upstream

extension MailSettings {
  /// The delivery of messages. A password leaves this machine only over TLS.
  var envelope: MailEnvelope {
    MailEnvelope(
      server: url, encryption: username != nil && !isLocal ? .required : .whereOffered,
      username: username, password: password?.revealed(), from: from, to: to,
      certificateAuthorities: caFile)
  }

  private var isLocal: Bool {
    guard let address = url.split(separator: "://", maxSplits: 1).last else { return false }
    return ["127.0.0.1", "[::1]", "localhost"].contains { host in
      address == host || address.hasPrefix("\(host):")
    }
  }
}
