public import EventLoop
public import HTTP

/// Answers the requests of a listener.
public protocol HTTPHandler: Sendable {
  /// Answers one request, on the loop of its connection. A handler that returns without having
  /// answered breaks the connection.
  func handle(_ exchange: HTTPExchange) async

  /// The answer to a request that never became one.
  ///
  /// - Parameter client: who sent it; nil when the peer was gone at once.
  func refuse(_ refusal: HTTPRefusal, of client: SocketAddress?) -> HTTPAnswer
}

/// Why a listener answers by itself; the connection is closed after it.
public enum HTTPRefusal: Error, Hashable, Sendable {
  /// The bytes are not a request that is accepted here.
  case invalid(HTTPError)
  case requestTimeout
  /// As many connections are open as may be.
  case tooManyConnections
  /// The client's address has as many connections open as it may have.
  case tooManyConnectionsOfAddress
}

/// A whole answer.
public struct HTTPAnswer: Sendable {
  public var head: ResponseHead
  public var body: [UInt8]

  public init(head: ResponseHead, body: [UInt8]) {
    self.head = head
    self.body = body
  }
}

/// How an exchange with a client failed.
public enum HTTPExchangeError: Error, Hashable, Sendable {
  /// The client is gone, or takes or gives no bytes in time.
  case disconnected
  /// The body is larger than the caller allows.
  case bodyTooLarge
  /// The body isn't valid HTTP.
  case invalidBody(HTTPError)
  /// The body didn't come in time.
  case bodyTimeout
  /// The bodies of all requests take as much memory as they may.
  case bodyMemoryExhausted
  /// The bodies of the same key, token or address take as much memory as they may, or as many of
  /// them are waited for as may be.
  case bodyShareExhausted
  /// As many requests of the same key or token are under way as may be.
  case requestShareExhausted
  /// The handler has begun an answer to this request before.
  case alreadyAnswered
  /// The response isn't a 101, or the request's body hasn't been read to its end.
  case notUpgradable
}
