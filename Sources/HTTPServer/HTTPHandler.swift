public import EventLoop
public import HTTP

/// Answers the requests of a listener.
public protocol HTTPHandler: Sendable {
  /// Answers one request, on the loop of its connection. If a handler returns without an answer,
  /// the connection is broken.
  func handle(_ exchange: HTTPExchange) async

  /// Returns the answer to bytes or connections that are refused before a request exists.
  ///
  /// - Parameter client: The client's address; nil if the peer was gone at once.
  func refuse(_ refusal: HTTPRefusal, of client: SocketAddress?) -> HTTPAnswer
}

/// The reason that a listener answers by itself. It then closes the connection.
public enum HTTPRefusal: Error, Hashable, Sendable {
  /// The bytes aren't an acceptable request.
  case invalid(HTTPError)
  case requestTimeout
  /// The limit of open connections is reached.
  case tooManyConnections
  /// The client's address has reached its limit of open connections.
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

/// The failure of an exchange with a client.
public enum HTTPExchangeError: Error, Hashable, Sendable {
  /// The client is gone, or it takes or sends no bytes in time.
  case disconnected
  /// The body is larger than the caller allows.
  case bodyTooLarge
  /// The body isn't valid HTTP.
  case invalidBody(HTTPError)
  /// The body didn't arrive in time.
  case bodyTimeout
  /// The bodies of all requests together have reached their memory limit.
  case bodyMemoryExhausted
  /// The bodies of the same key, token or address have reached their memory limit, or their limit
  /// of incomplete bodies.
  case bodyShareExhausted
  /// The key or token has reached its limit of simultaneous requests.
  case requestShareExhausted
  /// The handler has already begun an answer to this request.
  case alreadyAnswered
  /// The response isn't a 101, or the request's body hasn't been read to its end.
  case notUpgradable
}
