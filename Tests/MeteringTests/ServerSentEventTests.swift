import HTTP
import Testing

@Suite("Server-sent events are split into whole events")
struct ServerSentEventTests {
  struct Split: Equatable {
    var raw: String
    var data: String?
    var isTerminated = true
  }

  /// The handling of the array of finished events.
  private enum Handling {
    case keep, moveFinished, giveRoom
  }

  private func split(_ body: [UInt8], at cuts: [Int]) throws -> [Split] {
    let events = try split(body, at: cuts, .keep)
    #expect(try split(body, at: cuts, .moveFinished) == events)
    #expect(try split(body, at: cuts, .giveRoom) == events)
    return events
  }

  private func split(
    _ body: [UInt8], at cuts: [Int], _ handling: Handling
  ) throws -> [Split] {
    var splitter = ServerSentEventSplitter()
    var events: [Split] = []
    // Bytes that the first cut leaves here must not come back.
    var moved = Array("else".utf8)
    func describe(_ event: ServerSentEvent) -> Split {
      let data: String? =
        switch event.data {
        case .none: nil
        case .line(let range): String(decoding: splitter.bytes[range], as: UTF8.self)
        case .lines(let bytes): String(decoding: bytes, as: UTF8.self)
        }
      return Split(
        raw: String(decoding: splitter.bytes[event.range], as: UTF8.self), data: data,
        isTerminated: event.isTerminated)
    }
    for (start, end) in zip([0] + cuts, cuts + [body.count]) {
      var chunk = Array(body[start..<end])
      splitter.receive(&chunk)
      let first = events.count
      while let event = try splitter.next() { events.append(describe(event)) }
      switch handling {
      case .keep: break
      case .moveFinished:
        splitter.moveFinished(into: &moved)
        #expect(moved == Array(events[first...].map(\.raw).joined().utf8))
      case .giveRoom:
        splitter.giveRoom(to: &chunk)
        if splitter.unfinished.isEmpty {
          #expect(splitter.bytes.capacity == 0 && (start == end || chunk.capacity > 0))
        }
      }
    }
    if let event = splitter.finish() { events.append(describe(event)) }
    return events
  }

  static let table: [(String, [Split])] = [
    (
      "data: a\n\ndata:b\n\n",
      [Split(raw: "data: a\n\n", data: "a"), Split(raw: "data:b\n\n", data: "b")]
    ),
    (
      "data: a\r\n\r\ndata: b\r\n\r\n",
      [Split(raw: "data: a\r\n\r\n", data: "a"), Split(raw: "data: b\r\n\r\n", data: "b")]
    ),
    (
      "data: a\r\rdata: b\r\r",
      [Split(raw: "data: a\r\r", data: "a"), Split(raw: "data: b\r\r", data: "b")]
    ),
    (
      "data: a\ndata: b\ndata\ndata:  c\n\n",
      [Split(raw: "data: a\ndata: b\ndata\ndata:  c\n\n", data: "a\nb\n\n c")]
    ),
    (
      "\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n",
      [Split(raw: "\u{FEFF}data: a\n\n", data: "a"), Split(raw: "\u{FEFF}data: b\n\n", data: nil)]
    ),
    (
      ": note\n\nretry: 1\nid: 2\ndatum: x\n\n",
      [Split(raw: ": note\n\n", data: nil), Split(raw: "retry: 1\nid: 2\ndatum: x\n\n", data: nil)]
    ),
    (
      "data: é日🦙\n\ndata:\n\n",
      [Split(raw: "data: é日🦙\n\n", data: "é日🦙"), Split(raw: "data:\n\n", data: "")]
    ),
    (
      "\n\ndata: a\n\r\n",
      [
        Split(raw: "\n", data: nil), Split(raw: "\n", data: nil),
        Split(raw: "data: a\n\r\n", data: "a"),
      ]
    ),
    ("data: a\n", [Split(raw: "data: a\n", data: "a", isTerminated: false)]),
    (
      "data: a\n\nda",
      [
        Split(raw: "data: a\n\n", data: "a"), Split(raw: "da", data: nil, isTerminated: false),
      ]
    ),
    (
      "data: a\r\ndata: b\r",
      [
        Split(raw: "data: a\r\ndata: b\r", data: "a\nb", isTerminated: false)
      ]
    ),
    ("", []),
  ]

  @Test("a body gives the same events at every cut, and at every pair of cuts", arguments: table)
  func everyCut(_ body: String, _ expected: [Split]) throws {
    let bytes = Array(body.utf8)
    #expect(try split(bytes, at: []) == expected)
    #expect(try split(bytes, at: Array(bytes.indices.dropFirst())) == expected)
    for first in bytes.indices {
      for second in first..<bytes.count {
        #expect(try split(bytes, at: [first, second]) == expected)
      }
    }
  }

  @Test(
    "a line may be longer than what is searched at once, whichever its end",
    arguments: [1_000, 1_023, 1_024, 1_025, 2_040, 2_048, 5_000], ["\n", "\r", "\r\n"])
  func longLines(_ length: Int, _ end: String) throws {
    let texts = (length - 10...length).map { String(repeating: "x", count: $0) }
    let body = texts.map { "data: \($0)\(end)\(end)" }.joined()
    let expected = texts.map { Split(raw: "data: \($0)\(end)\(end)", data: $0) }
    #expect(try split(Array(body.utf8), at: []) == expected)
    #expect(try split(Array(body.utf8), at: [length, length + 7, 2 * length]) == expected)
  }

  @Test("an event may have as many bytes as the limit, and not one more")
  func limit() throws {
    for cut in [1, 5, 12] {
      var splitter = ServerSentEventSplitter(largestEvent: 9)
      let body = Array("data: a\n\ndata: bc\n\n".utf8)
      var (head, tail) = (Array(body[..<cut]), Array(body[cut...]))
      splitter.receive(&head)
      var events = 0
      #expect(throws: ServerSentEventError.eventTooLarge(limit: 9)) {
        while try splitter.next() != nil { events += 1 }
        splitter.receive(&tail)
        while try splitter.next() != nil { events += 1 }
      }
      #expect(events == 1)
      #expect(splitter.bytes[splitter.unfinished] == Array("data: bc\n\n".utf8)[...])
    }
  }
}
