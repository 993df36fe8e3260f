internal import HTTP

/// The cookies that a browser sends.
struct Cookies {
  private let pairs: [(name: Substring, value: Substring)]

  init(_ fields: HeaderFields) {
    pairs = fields.values(.cookie).flatMap { text in
      text.split(separator: ";").compactMap { pair in
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
      }
    }
  }

  /// The value of the first cookie of that name.
  func value(of name: String) -> String? {
    pairs.first { $0.name == name }.map { String($0.value) }
  }
}

/// The cookie that names a session. Scripts can't read it, and requests from other sites don't
/// carry it.
struct SessionCookie {
  static let name = "catraca_session"

  let isSecure: Bool

  func setting(_ session: Session) -> String {
    field(session.id, seconds: Sessions.lifetime.components.seconds)
  }

  var clearing: String { field("", seconds: 0) }

  private func field(_ value: String, seconds: Int64) -> String {
    "\(SessionCookie.name)=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
      + (isSecure ? "; Secure" : "")
  }
}
