internal import EventLoop
internal import Glibc
internal import HTTPServer
internal import JSON
internal import Logging
internal import Sandbox
internal import Time

/// `catraca sandbox`: only the stand-in OpenAI and Groq provider, until it is told to stop.
enum SandboxCommand {
  private static let listen = Parameter(
    "listen", ArgumentFormat<SocketAddress>.listenAddress, "where it listens",
    default: "127.0.0.1:8090")

  static let command = Command(
    "sandbox", "runs only the stand-in OpenAI and Groq provider", options: [listen],
    examples: [
      Command.Example(
        line: "sandbox --listen 127.0.0.1:8090",
        meaning: "OpenAI's API under /v1, Groq's under /openai/v1")
    ]
  ) { invocation async throws(CommandError) in
    SignalSource.ignoreBrokenPipes()
    do {
      let logger = try Logger(level: .info, format: .json)
      defer { logger.close() }
      let group = try EventLoopGroup(count: 1)
      defer { group.stop() }
      let now = invocation.surroundings.now
      let server = try await HTTPServer(
        [try invocation.values.required(listen)], on: group.loops,
        handler: SandboxHandler { now().milliseconds / 1000 }, logger: logger)
      try await waitForStop(on: group.loops[0]) {
        for address in server.addresses {
          logger.log(.info, "listening") { line in
            line.member("listener", "sandbox")
            line.member("address", "\(address)")
          }
        }
      }
      await server.stop(within: .zero)
      return CommandOutcome(.nothing)
    } catch {
      throw .failed("sandbox: \(error)")
    }
  }

  /// Calls `ready` once signals are heard, and returns at SIGTERM or SIGINT.
  private static func waitForStop(on loop: EventLoop, ready: () -> Void) async throws {
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    let source = try await Task(executorPreference: loop) {
      LoopBound(
        try SignalSource([.terminate, .interrupt], on: loop) { _ in stop.yield() }, on: loop)
    }.value
    ready()
    for await _ in stops { break }
    await Task(executorPreference: loop) { source.value.close() }.value
  }
}

extension ArgumentFormat<SocketAddress> {
  fileprivate static var listenAddress: ArgumentFormat {
    ArgumentFormat("ADDR", allowed: "an IP address and port, such as 127.0.0.1:8080 or [::1]:8080")
    { SocketAddress($0) }
  }
}
