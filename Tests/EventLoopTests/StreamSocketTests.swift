import Testing

@testable import EventLoop

extension StreamSocket {
  /// The next bytes; empty at the end, nil when the connection is broken.
  func readSome() async -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      switch buffer.withUnsafeMutableBytes({ read(into: $0) }) {
      case .bytes(let count): return Array(buffer[..<count])
      case .wouldBlock: await waitReadable()
      case .end: return []
      case .broken: return nil
      }
    }
  }

  /// Writes everything; false when the connection is broken.
  func writeAll(_ bytes: [UInt8]) async -> Bool {
    var start = 0
    while start < bytes.count {
      switch bytes.withUnsafeBytes({ write(.init(rebasing: $0[start...])) }) {
      case .bytes(let count): start += count
      case .wouldBlock: await waitWritable()
      case .end, .broken: return false
      }
    }
    return true
  }
}

/// Runs `body` with both ends of a TCP connection, and closes what is still open.
private func withConnection(
  _ body: @escaping @Sendable (_ near: StreamSocket, _ far: StreamSocket) async throws -> Void
) async throws {
  try await onLoop { loop in
    let accepted = Waiter<StreamSocket>()
    let address = SocketAddress(host: "127.0.0.1", port: 0)!
    let listener = try ListeningSocket(address, on: loop) { socket in
      nonisolated(unsafe) let socket = socket
      accepted.wake(socket)
    }
    let descriptor = connectedDescriptor(to: listener.address)
    let near = await accepted.wait()
    setNonBlocking(descriptor)
    let far = try StreamSocket(adopting: descriptor, on: loop)
    defer {
      near.close()
      far.close()
      listener.close()
    }
    try await body(near, far)
  }
}

@Suite("Stream sockets")
struct StreamSocketTests {
  @Test("Bytes arrive whole and in order, however many, and then the end")
  func manyBytes() async throws {
    try await withConnection { near, far in
      let block = (0..<251).map { UInt8($0) }
      nonisolated(unsafe) let writer = near
      let writing = Task(executorPreference: near.loop) {
        for _ in 0..<40_000 {
          guard await writer.writeAll(block) else { return false }
        }
        writer.shutdownWriting()
        return true
      }
      var count = 0
      while let bytes = await far.readSome(), !bytes.isEmpty {
        #expect(bytes[0] == UInt8(count % 251))
        #expect(bytes[bytes.count - 1] == UInt8((count + bytes.count - 1) % 251))
        count += bytes.count
      }
      #expect(await writing.value)
      #expect(count == 251 * 40_000)
      #expect(await far.readSome() == [])
    }
  }

  @Test("After the peer has ended its side, bytes still go the other way")
  func halfClosed() async throws {
    try await withConnection { near, far in
      #expect(await far.writeAll([1, 2]))
      far.shutdownWriting()
      #expect(await near.readSome() == [1, 2])
      #expect(await near.readSome() == [])
      #expect(await near.writeAll([3]))
      #expect(await far.readSome() == [3])
      #expect(near.isHungUp)
    }
  }

  @Test("A hang-up is told once, also while nobody reads")
  func hangup() async throws {
    try await withConnection { near, far in
      let hungUp = Waiter<Void>()
      var count = 0
      near.onHangup = {
        count += 1
        hungUp.wake()
      }
      far.close()
      await hungUp.wait()
      await goRound(near.loop)
      #expect(count == 1)
    }
  }

  @Test("A reset breaks reading and writing")
  func reset() async throws {
    try await withConnection { near, far in
      far.close(reset: true)
      #expect(await near.readSome() == nil)
      #expect(await !near.writeAll([1]))
    }
  }

  @Test("Closing wakes whoever waits to read, and interrupting does too")
  func wokenReader() async throws {
    try await withConnection { near, far in
      nonisolated(unsafe) let socket = near
      // Once the read has found nothing, waiting suspends.
      #expect(near.read(into: .init(start: nil, count: 0)) != .broken)
      let reading = Task(executorPreference: near.loop) { await socket.readSome() }
      await goRound(near.loop)
      near.interruptWaits()
      await goRound(near.loop)
      near.close()
      #expect(await reading.value == nil)
      #expect(!near.isOpen)
      await near.waitReadable()
      await near.waitWritable()
    }
  }

  @Test("Closing wakes whoever waits to write")
  func wokenWriter() async throws {
    try await withConnection { near, far in
      nonisolated(unsafe) let socket = near
      let writing = Task(executorPreference: near.loop) {
        await socket.writeAll([UInt8](repeating: 0, count: 64 << 20))
      }
      await goRound(near.loop)
      near.close()
      #expect(await !writing.value)
    }
  }
}
