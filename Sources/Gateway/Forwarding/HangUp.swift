internal import Configuration
internal import Metering
internal import Objects

/// The state of the answer to a request whose client may hang up.
///
/// A provider may keep an object although Catraca has cancelled the request that made it. Without
/// its id the object would belong to nobody. The first event of a stored response has the id, and
/// a whole answer is complete at the provider once its head has come. So Catraca waits for them,
/// but not for what the model has still to write.
///
/// Example: a client leaves 10 ms after it asked for a stream with `"store": true`. The event
/// `response.created` comes after 200 ms, so Catraca cancels the request then, and records the
/// response as the client's.
struct HangUp {
  /// Whether the head of the answer has come.
  var hasAnswer = false
  /// Whether an object that the answer shows was recorded.
  var hasShownObject = false

  /// The longest time that Catraca reads on for an id.
  static let longestWait = Duration.seconds(2)
}

extension ForwardedRequest {
  /// Whether the provider keeps an object for the request, and its id is about to come.
  var awaitsObject: Bool {
    guard request.keepsObjects, !gateway.isStopping else { return false }
    return !hangUp.hasShownObject && (hangUp.hasAnswer || request.expectsStream)
  }

  /// Notes that the client owns an object which the answer has shown.
  ///
  /// - Returns: Whether the provider's stream has no other use any more.
  func endsWithObject() -> Bool {
    hangUp.hasShownObject = true
    guard clientLeft, !isDraining, case .cancel = quote.provider.onDisconnect else { return false }
    return true
  }
}
