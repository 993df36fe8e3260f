internal import JSON
internal import EventLoop
internal import HTTP
internal import HTTPServer
internal import Logging
struct Hello: HTTPHandler {
  func handle(_ exchange: HTTPExchange) async {
    let body = try? await exchange.readBody(limit: 1 << 20)
    try? await exchange.respond(HTTPAnswer(head: ResponseHead(status: 200), body: body ?? []))
  }
  func refuse(_ refusal: HTTPRefusal) -> HTTPAnswer { HTTPAnswer(head: ResponseHead(status: 400), body: Array("\(refusal)".utf8)) }
}
let group = try EventLoopGroup(count: 2)
let logger = try Logger(level: .info, format: .json)
let server = try await HTTPServer([SocketAddress("127.0.0.1:0")!], on: group.loops, handler: Hello(), logger: logger)
logger.log(.info, "listening") { $0.member("address", "\(server.addresses[0])") }
await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
