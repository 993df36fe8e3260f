import EventLoop
import Testing

@Suite("Listening sockets")
struct ListeningSocketTests {
  @Test("Every connection of a burst is accepted")
  func burst() async throws {
    try await onLoop { loop in
      var sockets: [StreamSocket] = []
      let all = Waiter<Void>()
      let listener = try ListeningSocket(SocketAddress("127.0.0.1:0")!, on: loop) { socket in
        sockets.append(socket)
        if sockets.count == 200 { all.wake() }
      }
      let descriptors = (0..<200).map { _ in connectedDescriptor(to: listener.address) }
      await all.wait()
      for socket in sockets { socket.close() }
      for descriptor in descriptors { closeDescriptor(descriptor) }
      listener.close()
    }
  }

  @Test("An address that somebody listens on can't be had, until it is given up")
  func exclusive() async throws {
    try await onLoop { loop in
      let listener = try ListeningSocket(SocketAddress("127.0.0.1:0")!, on: loop) { $0.close() }
      #expect(throws: SystemError.self) { try ListeningSocket.checkIsFree(listener.address) }
      listener.close()
      try ListeningSocket.checkIsFree(listener.address)
    }
  }

  @Test("Nothing is accepted after closing, not even by the call that closes")
  func closedWhileAccepting() async throws {
    try await onLoop { loop in
      var listener: ListeningSocket?
      var count = 0
      listener = try ListeningSocket(SocketAddress("127.0.0.1:0")!, on: loop) { socket in
        count += 1
        socket.close()
        listener?.close()
      }
      let address = try #require(listener).address
      let descriptors = (0..<3).map { _ in connectedDescriptor(to: address) }
      await goRound(loop)
      #expect(count == 1)
      for descriptor in descriptors { closeDescriptor(descriptor) }
    }
  }

  @Test("Two loops listen on one address")
  func sharedAddress() async throws {
    try await onLoop { loop in
      let first = try ListeningSocket(SocketAddress("127.0.0.1:0")!, on: loop) { $0.close() }
      let second = try ListeningSocket(first.address, on: loop) { $0.close() }
      #expect(second.address == first.address)
      first.close()
      second.close()
      second.close()
    }
  }

  @Test("An address that isn't ours can't be listened on, and the error says which")
  func foreignAddress() async throws {
    try await onLoop { loop in
      let error = #expect(throws: SystemError.self) {
        _ = try ListeningSocket(SocketAddress("192.0.2.1:80")!, on: loop) { $0.close() }
      }
      #expect(error?.call == "listen on 192.0.2.1:80")
    }
  }
}
