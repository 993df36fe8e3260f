internal import CCurl

/// Answers requests in place of the network, so that a program that calls providers can be tested
/// in memory.
///
/// The stand-in replaces only libcurl. The transfer, its buffers, back-pressure and timeouts are
/// the real ones. Without a stand-in, a request therefore costs only one comparison more at its
/// start and one at its end, and no call becomes dynamic.
package protocol UpstreamStandIn: AnyObject {
  /// Takes a request that was started. Called on the client's loop. The stand-in answers through
  /// the call, at once or later.
  func receive(_ call: StandInCall)
}

/// One request that a stand-in has taken, with the methods to answer it. It belongs to the client's
/// loop.
package final class StandInCall {
  /// The end of a transfer, after its bytes.
  private enum End {
    case complete
    case failed(UpstreamError)
  }

  package let request: UpstreamRequest
  /// Called once when the transfer has ended for any reason.
  package var onEnd: (() -> Void)?
  package private(set) var isEnded = false
  /// Called when the caller has sent content of an upgrade or a stream.
  package var onContent: (() -> Void)?
  /// The content that the caller has sent since the request left.
  package private(set) var content: [UInt8] = []

  /// The transfer; nil once its owner has dropped it.
  private weak var transfer: Transfer?
  private var wasSent = false
  /// Bytes that wait while the transfer is paused.
  private var pending: [[UInt8]] = []
  private var end: End?

  init(_ request: UpstreamRequest, _ transfer: Transfer) {
    self.request = request
    self.transfer = transfer
  }

  /// Simulates that a connection is ready and the request leaves.
  package func send() {
    guard !wasSent, let transfer else { return }
    wasSent = true
    _ = transfer.willSend()
    pullContent()
  }

  /// Answers with a status and fields. Sends the request first, if it hasn't left.
  package func respond(_ status: Int, _ fields: [(String, String)] = []) {
    send()
    receive("HTTP/1.1 \(status) Answer\r\n")
    for (name, value) in fields { receive("\(name): \(value)\r\n") }
    receive("\r\n")
  }

  /// Delivers bytes of the answer's body. They wait while the transfer is paused.
  package func deliver(_ bytes: [UInt8]) {
    pending.append(bytes)
    drain()
  }

  /// Ends the answer properly, after its bytes.
  package func finish() {
    end = .complete
    drain()
  }

  /// Ends the transfer with an error, after the delivered bytes.
  package func fail(_ error: UpstreamError) {
    if error.wasSent { send() }
    end = .failed(error)
    drain()
  }

  /// Continues after the transfer's pause.
  func resumed() {
    drain()
    pullContent()
  }

  /// Called when the transfer has ended, or its owner has dropped it.
  func ended() {
    isEnded = true
    transfer = nil
    let action = onEnd
    (onEnd, onContent) = (nil, nil)
    action?()
  }

  private func drain() {
    while let first = pending.first, let transfer {
      guard unsafe first.withUnsafeBytes({ unsafe transfer.receiveBody($0) }) else { return }
      pending.removeFirst()
    }
    guard pending.isEmpty, let end = end.take(), let transfer else { return }
    switch end {
    case .complete: transfer.finish(CURLE_OK)
    case .failed(let error): transfer.fail(error)
    }
  }

  private func receive(_ line: String) {
    guard let transfer else { return }
    let isHTTP = unsafe Array(line.utf8).withUnsafeBytes { unsafe transfer.receiveHeader($0) }
    if !isHTTP { transfer.fail(.invalidResponse) }
  }

  /// Takes content that the caller has sent for a body that wasn't given at the start.
  private func pullContent() {
    switch request.body {
    case .none, .bytes: return
    case .stream, .upgrade: break
    }
    guard wasSent, let transfer else { return }
    let before = content.count
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    while let count = unsafe piece.withUnsafeMutableBytes({ unsafe transfer.provideBody($0) }),
      count > 0
    {
      content += piece[..<count]
    }
    if content.count > before { onContent?() }
  }
}
