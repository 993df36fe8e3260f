import EventLoop
import Glibc
import Synchronization

/// Stands between a client and a server on this machine, and can cut a connection as soon as the
/// client has sent something.
final class CuttingProxy: Sendable {
  let port: UInt16
  private let listener: Int32
  private let serverPort: UInt16
  private let trigger = Lock<[UInt8]?>(nil)
  private let connections = Lock<[Int32]>([])
  private let cuts = Atomic(0)

  init(toPort serverPort: UInt16) throws {
    self.serverPort = serverPort
    let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    listener = listening
    var address = CuttingProxy.address(0)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listening, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(bound == 0 && listen(listening, 16) == 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = getsockname(listening, $0, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    let accepting = listening
    _ = try Thread(name: "proxy") { [self] in
      while true {
        let client = accept(accepting, nil, nil)
        guard client >= 0 else { return }
        serve(client)
      }
    }
  }

  /// Ends what goes through it, and takes no more.
  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    connections.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
  }

  /// Forwards the next bytes from a client that have this text in them, and then nothing more in
  /// either direction: the server carries them out, and the client is never told.
  func cut(after text: String) {
    trigger.withLock { $0 = Array(text.utf8) }
  }

  var cutCount: Int { cuts.load(ordering: .relaxed) }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private func serve(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = CuttingProxy.address(serverPort)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    connections.withLock { $0 += [client, server] }
    _ = try? Thread(name: "up") { [self] in forward(client, server, isUp: true) }
    _ = try? Thread(name: "down") { [self] in forward(server, client, isUp: false) }
  }

  private func forward(_ source: Int32, _ target: Int32, isUp: Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      let isLast = isUp && isTriggered(by: buffer[..<count])
      // The client hears nothing from here on, whatever the server answers.
      if isLast { shutdown(source, Int32(SHUT_RDWR)) }
      guard send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
      if isLast { return }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(target, Int32(SHUT_RDWR))
  }

  private func isTriggered(by bytes: ArraySlice<UInt8>) -> Bool {
    let isFound = trigger.withLock { trigger in
      guard let text = trigger, bytes.firstRange(of: text) != nil else { return false }
      trigger = nil
      return true
    }
    if isFound { cuts.add(1, ordering: .relaxed) }
    return isFound
  }
}
