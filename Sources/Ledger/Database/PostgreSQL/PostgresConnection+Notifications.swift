internal import CPostgres
internal import Glibc

// Messages of other connections to the channels that this one listens to.

extension PostgresConnection {
  /// - Parameter channels: names that need no quotes.
  func listen(to channels: [String]) throws(LedgerError) {
    try execute(channels.map { "LISTEN \($0)" }.joined(separator: "; "))
  }

  /// The messages so far. If there is none, it waits for one at most for `patience`.
  func notifications(within patience: Duration) throws(LedgerError) -> [Notification] {
    guard unsafe handle != nil else { throw .unavailable(reason: "the connection was lost") }
    let arrived = takeNotifications()
    guard arrived.isEmpty else { return arrived }
    let (seconds, attoseconds) = patience.components
    let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    var socket = unsafe pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&socket, 1, milliseconds) > 0 else { return [] }
    guard unsafe PQconsumeInput(handle) == 1 else { throw lose() }
    return takeNotifications()
  }

  private func takeNotifications() -> [Notification] {
    var found: [Notification] = []
    while let notification = unsafe PQnotifies(handle) {
      unsafe found.append(
        Notification(
          channel: String(cString: notification.pointee.relname),
          payload: String(cString: notification.pointee.extra)))
      unsafe PQfreemem(notification)
    }
    return found
  }
}
