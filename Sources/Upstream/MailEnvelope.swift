/// How a message travels: through which server, from whom and to whom.
public struct MailEnvelope: Sendable {
  /// What a connection needs of TLS. A server's certificate is verified in any case.
  public enum Encryption: Sendable, Hashable {
    /// Where the server offers it.
    case whereOffered
    /// Without it nothing is sent.
    case required
  }

  /// `smtp://HOST:PORT`, or `smtps://HOST:PORT`, where TLS comes first.
  public var server: String
  public var encryption: Encryption
  /// Nil without a sign-in.
  public var username: String?
  public var password: String?
  public var from: String
  public var to: [String]
  /// A PEM file of certificate authorities that are trusted besides the system's.
  public var certificateAuthorities: String?

  public init(
    server: String, encryption: Encryption, username: String?, password: String?, from: String,
    to: [String], certificateAuthorities: String?
  ) {
    self.server = server
    self.encryption = encryption
    self.username = username
    self.password = password
    self.from = from
    self.to = to
    self.certificateAuthorities = certificateAuthorities
  }
}

/// Why a message was not taken.
public struct MailError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What libcurl says; never a text of the message or of the server.
  public let reason: String
  /// The last status that the server sent; nil without one.
  public let status: Int?

  public var description: String {
    status.map { "\(reason) (status \($0))" } ?? reason
  }
}
