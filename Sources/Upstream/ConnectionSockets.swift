internal import CCurl
internal import EventLoop
internal import Glibc

/// The sockets of libcurl's connections, each registered with the loop for as long as it is open.
///
/// libcurl changes its mind about a socket several times a request: write, read, nothing while the
/// connection is idle. Telling the kernel each time would cost as much as the request itself. So a
/// change is remembered in `wanted`, and the kernel is told only when it would not report what is
/// wanted now (widened at once), or has reported what isn't (narrowed then). A request on a pooled
/// connection needs no call of epoll's besides the wait.
///
/// Registrations are level-triggered. Edges would save nothing more, and lose bytes: libcurl reads
/// one buffer a call and counts on being called again while there is more.
final class ConnectionSockets {
  private let loop: EventLoop
  private var sockets: [CInt: ConnectionSocket] = [:]
  /// Whether the last socket couldn't be opened because too many files are open.
  private(set) var isOutOfDescriptors = false
  /// Is told, on the loop, what a socket that libcurl waits for is ready for (`CURL_CSELECT_*`).
  var becameReady: (_ descriptor: CInt, _ events: CInt) -> Void = { _, _ in }

  init(on loop: EventLoop) {
    self.loop = loop
  }

  /// Opens a socket for libcurl to connect.
  func open(family: CInt, kind: CInt, protocol number: CInt) -> CInt {
    let descriptor = socket(family, kind | CInt(SOCK_CLOEXEC.rawValue), number)
    isOutOfDescriptors = descriptor < 0 && [EMFILE, ENFILE].contains(errno)
    if descriptor >= 0 {
      sockets[descriptor] = ConnectionSocket(descriptor, isOpenedHere: true, self, on: loop)
    }
    return descriptor
  }

  /// Closes a socket that `open` has opened.
  func close(_ descriptor: CInt) -> CInt {
    sockets.removeValue(forKey: descriptor)?.deregister()
    return Glibc.close(descriptor)
  }

  /// Takes note of what libcurl waits for at a socket.
  func want(_ interest: Readiness, of descriptor: CInt) {
    if let socket = sockets[descriptor] {
      socket.want(interest)
      return
    }
    // The resolver's own socket, over which its thread says that it is done.
    let socket = ConnectionSocket(descriptor, isOpenedHere: false, self, on: loop)
    sockets[descriptor] = socket
    socket.want(interest)
  }

  /// libcurl no longer waits for anything at a socket.
  func forget(_ descriptor: CInt) {
    guard let socket = sockets[descriptor] else { return }
    if socket.isOpenedHere {
      socket.want([])
    } else {
      // libcurl closes it without telling us, and the number may come back as another socket.
      socket.deregister()
      sockets[descriptor] = nil
    }
  }
}

/// One socket of libcurl's in the loop.
private final class ConnectionSocket: ReadinessHandler {
  let isOpenedHere: Bool
  private let descriptor: CInt
  private unowned let sockets: ConnectionSockets
  private let loop: EventLoop
  /// What libcurl waits for.
  private var wanted: Readiness = []
  /// What the kernel reports.
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
      // The kernel is out of memory for it. libcurl can't be told from here; the transfer ends at
      // its connect or idle timeout.
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
      // Not narrowed to nothing: a hang-up is reported whatever the interest.
      deregister()
    } else {
      report(wanted)
    }
  }
}
