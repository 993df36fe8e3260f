internal import CCurl
internal import EventLoop
internal import Glibc

/// Registers the sockets of libcurl's connections with the event loop while they are open.
///
/// For each request, libcurl changes its interest in a socket several times: write, read, nothing
/// while the connection is idle. Telling the kernel each time would cost as much as the request
/// itself. A change is therefore stored in `wanted`, and the kernel is told in two cases only: at
/// once if it would not report a wanted event, and after it has reported an unwanted one. A request
/// on a pooled connection needs no epoll call besides the wait.
///
/// Registrations are level-triggered. Edge triggering would save nothing more and lose bytes,
/// because libcurl reads one buffer per call and relies on further calls while more bytes are
/// there.
final class ConnectionSockets {
  private let loop: EventLoop
  private var sockets: [CInt: ConnectionSocket] = [:]
  /// Whether the last socket couldn't be opened because too many files are open.
  private(set) var isOutOfDescriptors = false
  /// Called on the loop with the events for which a socket is ready (`CURL_CSELECT_*`), if libcurl
  /// waits for them.
  var becameReady: (_ descriptor: CInt, _ events: CInt) -> Void = { _, _ in }

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// Opens a socket that libcurl will connect.
  func open(family: CInt, kind: CInt, protocol number: CInt) -> CInt {
    let descriptor = socket(family, kind | CInt(SOCK_CLOEXEC.rawValue), number)
    isOutOfDescriptors = descriptor < 0 && [EMFILE, ENFILE].contains(errno)
    if descriptor >= 0 {
      sockets[descriptor] = ConnectionSocket(descriptor, isOpenedHere: true, self, on: loop)
    }
    return descriptor
  }

  /// Closes a socket that `open` opened.
  func close(_ descriptor: CInt) -> CInt {
    sockets.removeValue(forKey: descriptor)?.deregister()
    return Glibc.close(descriptor)
  }

  /// Notes libcurl's interest in a socket.
  func want(_ interest: Readiness, of descriptor: CInt) {
    if let socket = sockets[descriptor] {
      socket.want(interest)
      return
    }
    // This is the resolver's own socket, over which its thread reports completion.
    let socket = ConnectionSocket(descriptor, isOpenedHere: false, self, on: loop)
    sockets[descriptor] = socket
    socket.want(interest)
  }

  /// Notes that libcurl no longer waits for a socket.
  func forget(_ descriptor: CInt) {
    guard let socket = sockets[descriptor] else { return }
    if socket.isOpenedHere {
      socket.want([])
    } else {
      // libcurl closes this socket without a callback, and the number may return as another socket.
      socket.deregister()
      sockets[descriptor] = nil
    }
  }
}

/// One of libcurl's sockets in the loop.
private final class ConnectionSocket: ReadinessHandler {
  let isOpenedHere: Bool
  private let descriptor: CInt
  private unowned let sockets: ConnectionSockets
  private let loop: EventLoop
  /// The events that libcurl waits for.
  private var wanted: Readiness = []
  /// The events that the kernel reports.
  private var reported: Readiness = []
  private var registration: Registration?

  init(
    _ descriptor: CInt, isOpenedHere: Bool, _ sockets: ConnectionSockets, on loop: EventLoop
  ) {
    self.descriptor = descriptor
    self.isOpenedHere = isOpenedHere
    self.sockets = sockets
    self.loop = loop
  }

  func want(_ interest: Readiness) {
    wanted = interest
    if !interest.isSubset(of: reported) { report(interest) }
  }

  func deregister() {
    if let registration { loop.deregister(registration) }
    registration = nil
    reported = []
  }

  private func report(_ interest: Readiness) {
    do {
      if let registration {
        try loop.change(registration, to: interest)
      } else {
        registration = try loop.register(descriptor, interest, handler: self)
      }
      reported = interest
    } catch {
      // The kernel has no memory for the registration. libcurl can't be told here; the transfer
      // ends at its connect or idle timeout.
      deregister()
    }
  }

  func becameReady(_ readiness: Readiness) {
    var events: CInt = 0
    let isHungUp = !readiness.isDisjoint(with: .hangup)
    if wanted.contains(.readable) && (isHungUp || readiness.contains(.readable)) {
      events |= CURL_CSELECT_IN
    }
    if wanted.contains(.writable) && (isHungUp || readiness.contains(.writable)) {
      events |= CURL_CSELECT_OUT
    }
    if events != 0 {
      sockets.becameReady(descriptor, isHungUp ? events | CURL_CSELECT_ERR : events)
    } else if wanted.isEmpty {
      // An empty interest isn't enough, because the kernel always reports a hang-up.
      deregister()
    } else {
      report(wanted)
    }
  }
}
