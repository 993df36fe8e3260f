import JSON
import Ledger
import Testing
import Time

@testable import Gateway
@testable import Metering

@Suite("A session of a container is paid for once in 20 minutes")
struct ContainerSessionsTests {
  private let sessions = ContainerSessions()
  private let ids = RequestIDSource()

  /// The charges of an answer, by the names of prices.
  private func charged(
    _ tool: String, container: String = "c", by client: String = "acme", from start: Int64,
    to end: Int64, request: RequestID? = nil
  ) throws -> [String] {
    let parser = JSONParser()
    guard
      case .metered(let endpoint) = Endpoints.classify(method: "POST", path: "/v1/responses")
    else { throw CancellationError() }
    let facts = try RequestFacts.read(
      Array(#"{"model":"m","input":"x","tools":[\#(tool)]}"#.utf8), endpoint: endpoint,
      parser: parser)
    let item = #"{"type":"code_interpreter_call","container_id":"\#(container)"}"#
    let report = AnswerMeter.read(
      Array(#"{"output":[\#(item)],"usage":{"input_tokens":1,"total_tokens":1}}"#.utf8), to: facts,
      endpoint: endpoint, parser: parser)
    let payer = ContainerSessions.Payer(
      client: client, key: "web", provider: "openai",
      request: request ?? ids.next(at: minute(start)),
      startedAt: minute(start))
    return sessions.charging(report, to: payer, at: minute(end)).extraCalls.flatMap {
      Array(repeating: $0.surcharge ?? "", count: Int($0.count))
    }
  }

  private func minute(_ minutes: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_790_000_000_000 + minutes * 60_000)
  }

  private static let auto = #"{"type":"code_interpreter","container":{"type":"auto"}}"#
  private static let named = #"{"type":"code_interpreter","container":"c"}"#
  private static let large =
    #"{"type":"code_interpreter","container":{"type":"auto","memory_limit":"4g"}}"#

  @Test("Within 20 minutes of the request that began it a session is free, then another begins")
  func twentyMinutes() throws {
    #expect(try charged(Self.large, from: 0, to: 1) == ["container 4g"])
    #expect(try charged(Self.named, from: 10, to: 11) == [])
    #expect(try charged(Self.named, from: 19, to: 19) == [])
    #expect(try charged(Self.named, from: 19, to: 21) == ["container 4g"])
    #expect(try charged(Self.named, from: 30, to: 31) == [])
  }

  @Test("A container that is named and wasn't seen has no known memory")
  func unknown() throws {
    #expect(try charged(Self.named, from: 0, to: 1) == ["container "])
    #expect(try charged(Self.auto, container: "d", from: 0, to: 1) == ["container 1g"])
  }

  @Test("Another client's container is another one")
  func clients() throws {
    #expect(try charged(Self.auto, from: 0, to: 1) == ["container 1g"])
    #expect(try charged(Self.auto, by: "other", from: 2, to: 3) == ["container 1g"])
  }

  @Test("The request that paid is charged the same when it is asked again")
  func again() throws {
    let request = ids.next(at: minute(0))
    for _ in 0..<2 {
      #expect(try charged(Self.auto, from: 0, to: 1, request: request) == ["container 1g"])
    }
  }

  @Test("Not more containers are remembered than there is room for, the latest ones")
  func room() throws {
    let report = { (id: String) throws in
      try self.charged(Self.auto, container: id, from: 0, to: 0)
    }
    for index in 0...ContainerSessions.capacity { _ = try report("c\(index)") }
    #expect((1...ContainerSessions.capacity).contains(sessions.count))
  }
}
