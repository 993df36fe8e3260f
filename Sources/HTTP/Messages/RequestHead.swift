/// A request without its body. It has been checked, so its connection fields have only one meaning.
public struct RequestHead: Equatable, Sendable {
  public let method: Method
  public let target: RequestTarget
  public let version: Version
  /// All fields as sent, in order.
  public private(set) var fields: HeaderFields

  /// The rule for the end of the body.
  public let framing: BodyFraming

  /// Whether the client wants the connection to stay open after the answer (RFC 9112 9.3).
  public let keepAlive: Bool

  /// Whether the client waits for `100 Continue` before it sends the body.
  public let expectsContinue: Bool

  /// Creates a head, and checks the fields that control the connection.
  ///
  /// - Throws: `HTTPError.missingHost` (1.1 only), `repeatedHost`, `invalidHost`,
  ///   `repeatedContentType`, `unsupportedExpectation`, or an error of `BodyFraming`.
  public init(
    method: Method, target: RequestTarget, version: Version = .http11, fields: HeaderFields
  ) throws(HTTPError) {
    try Self.checkHost(in: fields, version: version)
    guard fields.count(of: .contentType) <= 1 else { throw .repeatedContentType }
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
    framing = try BodyFraming(of: fields, version: version)
    keepAlive = Self.keepAlive(fields, version: version)
    expectsContinue =
      try Self.expectsContinue(fields, version: version) && framing.hasContent
  }

  /// Removes the fields. All other properties stay.
  public mutating func forgetFields() {
    fields = HeaderFields()
  }

  /// The target's path, as sent.
  public var path: String { target.path }

  /// The text after the target's `?`, as sent; nil without one.
  public var query: String? { target.query }

  /// The `host[:port]` of the request: the target's own, or that of the `Host` field.
  public var host: String? { target.authority ?? fields.first(.host) }

  private static func checkHost(in fields: HeaderFields, version: Version) throws(HTTPError) {
    switch fields.count(of: .host) {
    case 0:
      guard version == .http10 else { throw .missingHost }
    case 1:
      guard fields.withFirst(.host, Authority.isValid) == true else { throw .invalidHost }
    default:
      throw .repeatedHost
    }
  }

  private static func keepAlive(_ fields: HeaderFields, version: Version) -> Bool {
    switch version {
    case .http11: !fields.contains(.connection, token: "close")
    case .http10:
      fields.contains(.connection, token: "keep-alive")
        && !fields.contains(.connection, token: "close")
    }
  }

  /// HTTP/1.0 has no `Expect`, so the field is ignored there (RFC 9110 10.1.1).
  private static func expectsContinue(
    _ fields: HeaderFields, version: Version
  ) throws(HTTPError) -> Bool {
    guard version == .http11 else { return false }
    var isExpected = false
    var isKnown = true
    fields.forEachListMember(.expect) { member in
      let isContinue = member.equalsIgnoringCase("100-continue")
      isExpected = isExpected || isContinue
      isKnown = isKnown && isContinue
    }
    guard isKnown else { throw .unsupportedExpectation }
    return isExpected
  }
}
