/// The delivery of a message: its server, sender and recipients.
public struct MailEnvelope: Sendable {
  /// The requirement for TLS. A server's certificate is always verified.
  public enum Encryption: Sendable, Hashable {
    /// TLS is used if the server offers it.
    case whereOffered
    /// Without TLS, nothing is sent.
    case required
  }

  /// `smtp://HOST:PORT`, or `smtps://HOST:PORT` for TLS from the start.
  public var server: String
  public var encryption: Encryption
  /// The user name; nil for no sign-in.
  public var username: String?
  public var password: String?
  public var from: String
  public var to: [String]
  /// A PEM file of certificate authorities in addition to the system's; nil for none.
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

/// The reason that a message wasn't accepted.
public struct MailError: Error, Hashable, Sendable, CustomStringConvertible {
  /// libcurl's message; never text of the mail or of the server.
  public let reason: String
  /// The last status that the server sent; nil for none.
  public let status: Int?

  public var description: String {
    status.map { "\(reason) (status \($0))" } ?? reason
  }
}
