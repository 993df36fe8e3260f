public import EventLoop
internal import HTTP

/// The bytes of a connection after HTTP, in both directions at once.
///
/// One task may read while another one writes. Back-pressure is that of a connection: `write`
/// returns when the kernel has taken all bytes, and bytes are read only on request. A client may be
/// silent without limit, but must take written bytes within the server's idle limit.
public final class UpgradedStream {
  private let connection: Connection

  public var loop: EventLoop { connection.loop }

  init(on connection: Connection) {
    self.connection = connection
  }

  /// Called once when the server is told to stop. The server waits for the handler as for any
  /// exchange.
  public var onStop: (() -> Void)? {
    get { connection.onStop }
    set { connection.onStop = newValue }
  }

  /// Moves the received bytes to the end of `bytes`, after waiting for at least one; returns false
  /// at the client's end, and after `interrupt`.
  public func read(into bytes: inout [UInt8]) async -> Bool {
    if connection.input.isEmpty {
      guard await connection.readMore() else { return false }
    }
    connection.input.move(upTo: connection.input.count, into: &bytes)
    return true
  }

  /// Sends `bytes`, and returns when the client's side has taken them; returns false if the client
  /// is gone or takes none in time.
  public func write(_ bytes: [UInt8]) async -> Bool {
    connection.compose { $0.append(contentsOf: bytes) }
    return await connection.flush()
  }

  /// Makes a waiting `read`, and any later one, return false.
  public func interrupt() {
    connection.interruptReading()
  }

  /// Breaks the connection; waiting calls return false.
  public func abort() {
    connection.abort()
  }
}
