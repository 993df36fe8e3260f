import TLS
import Testing
import Time

@testable import Console

@Suite struct SessionTests {
  private let sessions = Sessions()
  private let digest = SHA256.digest(of: "token")
  private let now = Timestamp(milliseconds: 0)

  @Test("A session is found until it is ended, or twelve hours old")
  func lives() {
    let session = sessions.begin(for: digest, at: now)
    let last = now.advanced(by: .seconds(12 * 3600 - 1))
    #expect(sessions.session(session.id, at: last)?.digest == digest)
    #expect(sessions.session(session.id, at: last.advanced(by: .seconds(1))) == nil)
    let other = sessions.begin(for: digest, at: now)
    #expect(other.id != session.id && other.csrfToken != session.csrfToken)
    sessions.end(other)
    #expect(sessions.session(other.id, at: now) == nil)
  }

  @Test("Only a session's own CSRF token is its CSRF token")
  func csrf() {
    let session = sessions.begin(for: digest, at: now)
    #expect(session.isCSRFToken(session.csrfToken))
    for wrong in [nil, "", String(session.csrfToken.dropLast()), session.id] {
      #expect(!session.isCSRFToken(wrong))
    }
  }

  @Test("Where too many are signed in, whoever came first has to sign in again")
  func capacity() {
    let first = sessions.begin(for: digest, at: now)
    var latest = first
    for second in 1...Int64(Sessions.capacity) {
      latest = sessions.begin(for: digest, at: now.advanced(by: .milliseconds(second)))
    }
    let later = now.advanced(by: .seconds(60))
    #expect(sessions.session(first.id, at: later) == nil)
    #expect(sessions.session(latest.id, at: later) != nil)
  }
}
