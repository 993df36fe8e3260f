public import EventLoop

/// The files of a listener's TLS, all in PEM.
public struct TLSFiles: Hashable, Sendable {
  /// The listener's own certificate first, then its chain.
  public let certificate: String
  public let key: String
  /// The authorities, one of which must have signed each client's certificate; nil if clients need
  /// none.
  public let clientAuthorities: String?

  public init(certificate: String, key: String, clientAuthorities: String? = nil) {
    self.certificate = certificate
    self.key = key
    self.clientAuthorities = clientAuthorities
  }
}

/// The listener for apps.
public struct ProxySettings: Hashable, Sendable {
  public var listen = listenAddresses("127.0.0.1:8080")
  /// The TLS files; nil for plain HTTP.
  public var tls: TLSFiles?
  /// The load balancers whose statement of a client's address is trusted.
  public var behind: [AddressRange] = []
  /// Whether these load balancers begin each connection with a PROXY protocol header.
  public var proxyProtocol = false

  public init() {}
}

/// The listener for operators, and their credentials.
public struct AdminSettings: Hashable, Sendable {
  public var listen = listenAddresses("127.0.0.1:8081")
  /// The TLS files; nil for plain HTTP.
  public var tls: TLSFiles?
  /// The load balancers whose statement of a client's address is trusted.
  public var behind: [AddressRange] = []
  /// Whether these load balancers begin each connection with a PROXY protocol header.
  public var proxyProtocol = false
  /// Whether plain HTTP is allowed on addresses that other machines can reach.
  public var allowsPlainHTTP = false
  /// The host names that requests may use, besides the listener's addresses and loopback's.
  public var hosts: [String] = []
  public var tokens: [AdminToken] = []
  /// The access to `/metrics`; nil for a default that depends on `listen`: see `metricsNeedToken`.
  public var metrics: MetricsAccess?

  public init() {}

  /// Whether `/metrics` needs a token. Without a setting, it does unless only this machine can
  /// reach the listener.
  public var metricsNeedToken: Bool {
    (metrics ?? (listen.allSatisfy(\.isLoopback) ? .open : .token)) == .token
  }
}

/// The access to `/metrics`.
public enum MetricsAccess: String, Sendable, Hashable, CaseIterable {
  /// Anyone who reaches the listener.
  case open
  /// Tokens of either role.
  case token
}

/// One operator's credential.
public struct AdminToken: Hashable, Sendable {
  public enum Role: String, Sendable, Hashable, CaseIterable {
    case admin
    /// May read everything and change nothing.
    case viewer
  }

  public let name: String
  public let role: Role
  public let digest: KeyDigest

  public init(name: String, role: Role, digest: KeyDigest) {
    self.name = name
    self.role = role
    self.digest = digest
  }
}

private let behindMeaning =
  "The balancers whose X-Forwarded-For says a client's address; nobody else's is believed"
private let proxyProtocolMeaning =
  "Whether the balancers of behind begin each connection with a header of the PROXY protocol, "
  + "version 2"

extension ProxySettings: TabledSettings {
  static var rows: [SettingRow<ProxySettings>] {
    [
      SettingRow(
        "listen", \.listen, .list(of: .listenAddress, count: 1...16), isReloadable: false,
        "Where apps are served; port 0 takes a free one"),
      SettingRow(
        "tls", \.tls, .tlsFiles, isReloadable: false,
        "certificate, key and, for mutual TLS, client_ca (PEM files); without it plain HTTP"),
      SettingRow("behind", \.behind, .list(of: .addressRange), behindMeaning),
      SettingRow("proxy_protocol", \.proxyProtocol, .boolean, proxyProtocolMeaning),
    ]
  }
}

extension AdminSettings: TabledSettings {
  static var rows: [SettingRow<AdminSettings>] {
    [
      SettingRow(
        "listen", \.listen, .list(of: .listenAddress, count: 1...16), isReloadable: false,
        "Where operators and their tools are served"),
      SettingRow(
        "tls", \.tls, .tlsFiles, isReloadable: false,
        "certificate, key and, for mutual TLS, client_ca (PEM files); without it plain HTTP"),
      SettingRow("behind", \.behind, .list(of: .addressRange), behindMeaning),
      SettingRow("proxy_protocol", \.proxyProtocol, .boolean, proxyProtocolMeaning),
      SettingRow(
        "allow_plain_http", \.allowsPlainHTTP, .boolean, isReloadable: false,
        "Whether plain HTTP may be served on an address that other machines reach"),
      SettingRow(
        "hosts", \.hosts, .list(of: .hostName, count: 0...100),
        "Names that a listener without TLS may be called by, besides localhost and its addresses"),
      SettingRow("tokens", \.tokens, .adminTokens, "Tokens for the admin API and the dashboard"),
      SettingRow(
        "metrics", \.metrics, .choice,
        "Whether /metrics asks for a token; by default, unless listen is of this machine alone"),
    ]
  }
}

extension Section {
  /// Reports a mistake if no load balancer may send the header, because the setting would have no
  /// effect.
  fileprivate func checkProxyProtocol(_ isOn: Bool, behind: [AddressRange]) {
    guard isOn, behind.isEmpty else { return }
    mistake(at: "proxy_protocol", "proxy_protocol has no meaning here; allowed: only with behind")
  }
}

extension ValueFormat<ProxySettings> {
  static var proxy: ValueFormat {
    .section { section in
      var settings = ProxySettings()
      for row in ProxySettings.rows { row.read(&section, &settings) }
      section.checkProxyProtocol(settings.proxyProtocol, behind: settings.behind)
      return settings
    }
  }
}

extension ValueFormat<AdminSettings> {
  /// Reads the settings, and refuses to send tokens and figures over a network in clear text by
  /// mistake.
  static var admin: ValueFormat {
    .section { section in
      var settings = AdminSettings()
      for row in AdminSettings.rows { row.read(&section, &settings) }
      section.checkProxyProtocol(settings.proxyProtocol, behind: settings.behind)
      if settings.tls == nil, !settings.allowsPlainHTTP,
        let address = settings.listen.first(where: { !$0.isLoopback })
      {
        section.mistake(
          at: "listen",
          "\(address) serves administrators without TLS; allowed: an address of this machine alone "
            + "such as 127.0.0.1, tls, or allow_plain_http: true")
      }
      return settings
    }
  }
}

extension ValueFormat<TLSFiles> {
  static var tlsFiles: ValueFormat {
    .section { section in
      let certificate = section.required("certificate", .path)
      let key = section.required("key", .path)
      let clientAuthorities = section.optional("client_ca", .path)
      guard let certificate, let key else { return nil }
      return TLSFiles(
        certificate: certificate, key: key, clientAuthorities: clientAuthorities)
    }
  }
}

extension ValueFormat<[AdminToken]> {
  fileprivate static var adminTokens: ValueFormat {
    let list = ValueFormat.list(of: .adminToken)
    return ValueFormat(allowed: list.allowed, text: list.text) { node, key, context in
      let tokens = list.read(node, key, context)
      for (index, token) in (tokens ?? []).enumerated()
      where tokens?[..<index].contains(where: { $0.name == token.name }) == true {
        context.mistake(node.mark, "two tokens are named \"\(token.name)\"; allowed: one each")
      }
      return tokens
    }
  }
}

extension ValueFormat<AdminToken> {
  fileprivate static var adminToken: ValueFormat {
    .section { section in
      let name = section.required("name", .name)
      let role = section.required("role", ValueFormat<AdminToken.Role>.choice)
      let digest = section.required("sha256", .digest)
      guard let name, let role, let digest else { return nil }
      return AdminToken(name: name, role: role, digest: digest)
    }
  }
}

/// Parses the address in `text`, for defaults.
private func listenAddresses(_ text: String) -> [SocketAddress] {
  SocketAddress(text).map { [$0] } ?? []
}
