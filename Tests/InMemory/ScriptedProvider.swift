internal import EventLoop
package import Upstream

/// A provider in memory: answers each request by the next line of its script, or leaves it to the
/// test. For one loop.
package final class ScriptedProvider: UpstreamStandIn {
  /// All requests that were started, in their order.
  package private(set) var calls: [StandInCall] = []
  /// Answers the next requests, in this order; a request without an answer is left to the test.
  package var script: [(StandInCall) -> Void] = []
  private let arrival = Waiter<Void>()
  private var taken = 0

  package init() {}

  package func receive(_ call: StandInCall) {
    calls.append(call)
    if !script.isEmpty { script.removeFirst()(call) }
    arrival.wake()
  }

  /// Waits for the next request that no call of this has returned.
  package func next() async -> StandInCall {
    while calls.count == taken { await arrival.wait() }
    taken += 1
    return calls[taken - 1]
  }
}

extension StandInCall {
  /// Answers with JSON as a whole.
  package func answer(_ status: Int, _ json: String) {
    respond(status, [("content-type", "application/json")])
    deliver(Array(json.utf8))
    finish()
  }

  /// Begins a stream of events.
  package func stream(_ events: [String]) {
    respond(200, [("content-type", "text/event-stream")])
    for event in events { deliver(Array("data: \(event)\n\n".utf8)) }
  }

  /// The body of the request, as it was sent.
  package var body: String {
    guard case .bytes(let bytes) = request.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
