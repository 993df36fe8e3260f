internal import EventLoop
internal import Glibc
internal import HTTPServer
internal import JSON
internal import Logging
internal import Sandbox
internal import Time

enum StandardError {
  static func write(_ text: String) {
    let t = Array((text + "\n").utf8); _ = Glibc.write(2, t, t.count)
  }
}
var environment: [String: String] = [:]
var pointer = environ
while let entry = pointer.pointee {
  let text = String(cString: entry)
  if let equal = text.firstIndex(of: "=") {
    environment[String(text[..<equal])] = String(text[text.index(after: equal)...])
  }
  pointer += 1
}
switch CommandLine.arguments.dropFirst().first {
case "serve":
  exit(
    await Serve.run(
      configurationFolder: (CommandLine.arguments.count > 2
        ? CommandLine.arguments.last! : "config"), environment: environment))
case "sandbox":
  let group = try EventLoopGroup(count: 1)
  let logger = try Logger(level: .info, format: .json)
  let server = try await HTTPServer(
    [SocketAddress(CommandLine.arguments.count > 2 ? CommandLine.arguments.last! : "127.0.0.1:0")!],
    on: group.loops,
    handler: SandboxHandler(unixTime: { Timestamp.readSystemClock().milliseconds / 1000 }),
    logger: logger)
  logger.log(.info, "listening") {
    $0.member("listener", "sandbox"); $0.member("address", "\(server.addresses[0])")
  }
  let (forever, keep) = AsyncStream.makeStream(of: Void.self)
  for await _ in forever {}
  _ = keep
default: exit(2)
}
