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

  @Test("A client that signs in without end ends its own oldest session, and nobody else's")
  func capacityOfCredential() {
    let administrator = sessions.begin(for: digest, at: now)
    let neighbor = sessions.begin(for: SHA256.digest(of: "neighbor"), isOfKey: true, at: now)
    let key = SHA256.digest(of: "key")
    let own = (1...10_001).map { _ in sessions.begin(for: key, isOfKey: true, at: now) }
    #expect(sessions.session(administrator.id, at: now) != nil)
    #expect(sessions.session(neighbor.id, at: now) != nil)
    let alive = own.map { sessions.session($0.id, at: now) != nil }
    #expect(alive.count { $0 } == Sessions.mostOfCredential)
    #expect(alive.suffix(Sessions.mostOfCredential).allSatisfy { $0 })
  }

  @Test("A client with very many keys ends its own sessions, and no administrator's")
  func capacityOfKeys() {
    let administrator = sessions.begin(for: digest, at: now)
    let first = sessions.begin(for: SHA256.digest(of: "0"), isOfKey: true, at: now)
    for number in 1...Int64(Sessions.mostOfKeys) {
      let key = SHA256.digest(of: "\(number / 100)")
      _ = sessions.begin(for: key, isOfKey: true, at: now.advanced(by: .milliseconds(number)))
    }
    #expect(sessions.session(administrator.id, at: now) != nil)
    #expect(sessions.session(first.id, at: now) == nil)
  }

  @Test("Live pages are bounded for each token or key, and keys never take all places")
  func listeners() {
    var listeners = Listeners()
    let administrator = sessions.begin(for: digest, at: now)
    let keys = (0..<20).map { number in
      sessions.begin(for: SHA256.digest(of: "\(number)"), isOfKey: true, at: now)
    }
    func added(_ session: Session) -> Int { (0..<200).count { _ in listeners.add(session) } }
    #expect(added(keys[0]) == LiveEvents.mostOfCredential)
    #expect(keys.dropFirst().map(added).reduce(0, +) == LiveEvents.mostOfKeys - 20)
    #expect(added(administrator) == LiveEvents.mostOfCredential)
    listeners.remove(keys[0])
    #expect(added(keys[0]) == 1)
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
