public import HTTP
public import JSON
public import Objects

/// Meters a streamed answer in passing.
///
/// Bytes go in as they arrive, and come out, the same, as soon as they make whole events. If
/// Catraca asked for usage on the client's behalf, what the provider added for that is taken out
/// again. The event that ends the stream, `[DONE]` or one of the format's own, is withheld: the
/// caller records the usage first, and then takes it.
///
/// A body that is a JSON object instead is withheld to its end, and read whole. Any other body that
/// is no stream of events passes through, unmetered and marked.
public struct StreamMeter: ~Copyable {
  /// What to do after some bytes were received.
  public enum Progress: Hashable, Sendable {
    case flowing
    /// The event that ends the stream has come: finish, record, take what is withheld.
    case terminated
    /// An event has come that is too large to be read, and that may not pass unread. What was given
    /// until now may pass; nothing more is given.
    case refused
  }

  private enum State {
    case flowing
    /// The body is a JSON object, which is withheld until it is whole.
    case gathering
    /// The last event was seen and is withheld, as is all that follows it.
    case withholding
    /// What was withheld has been taken; the rest passes through.
    case released
    /// Not a stream of events: all passes through.
    case unmetered
    /// Nothing passes any more.
    case refusing
  }

  /// How many bytes are kept that follow the last event while it is withheld. Nothing is known to
  /// follow it; what is beyond this is dropped, and the report marked.
  public static let largestTail = 64 << 10

  private let parser: JSONParser
  private let hidesUsage: Bool
  private let passesUnread: Bool
  private let largestEvent: Int
  private var state = State.flowing
  private var splitter: ServerSentEventSplitter
  private var answer: any AnswerReader
  private var hasReceived = false
  private var hasTerminator = false
  /// Whether an event with data was read, or the whole body was.
  private var hasEvents = false
  private var withheld: [UInt8] = []
  /// The event that was parsed last, if others may repeat it.
  private var repeated: RepeatedEvent?

  /// - Parameters:
  ///   - facts: of the request that is answered.
  ///   - hidesUsage: whether usage was asked for by `RequestRewrite`, not by the client.
  ///   - parser: what parses the events; it may serve other streams in between.
  ///   - passesUnread: whether events that are too large to be read may pass all the same.
  ///   - largestEvent: how many bytes an event may have, or a body that is a JSON object.
  public init(
    endpoint: Endpoint, facts: RequestFacts, hidesUsage: Bool, parser: JSONParser,
    passesUnread: Bool = true, largestEvent: Int = ServerSentEventSplitter.largestEvent
  ) {
    answer = endpoint.answer.init(for: facts)
    self.hidesUsage = hidesUsage
    self.passesUnread = passesUnread
    self.largestEvent = largestEvent
    self.parser = parser
    splitter = ServerSentEventSplitter(largestEvent: largestEvent)
  }

  /// Takes a chunk of the body, cut anywhere, and appends to `output` what may be passed on.
  ///
  /// The chunk's array may be taken for another one, whose content is of no use; one with room is
  /// kept only where an event isn't whole yet.
  public mutating func receive(
    _ chunk: inout [UInt8], into output: inout [UInt8]
  ) -> Progress {
    checkFormat(chunk)
    switch state {
    case .flowing:
      splitter.receive(&chunk)
      passEvents(into: &output)
      splitter.giveRoom(to: &chunk)
    case .gathering:
      gather(chunk, into: &output)
    case .withholding:
      withhold(chunk.span)
    case .released, .unmetered:
      output.append(contentsOf: chunk)
    case .refusing: break
    }
    return switch state {
    case .withholding: .terminated
    case .refusing: .refused
    case .flowing, .gathering, .released, .unmetered: .flowing
    }
  }

  /// Whether an event has said that something failed.
  public private(set) var isError = false

  /// The objects that the stream has shown since the last call. They must be recorded before what
  /// `receive` gave is passed on; those of what is withheld are in `report` too.
  public mutating func takeMadeObjects() -> [MadeObject] { answer.takeMadeObjects() }

  /// What the stream has said so far. Usage doesn't count that was followed by what can't be read,
  /// since streams may repeat it as it grows.
  public var report: UsageReport {
    var report = answer.report
    if state == .unmetered || state == .refusing {
      report.usage = nil
      report.breakdown = []
    }
    return report
  }

  /// Whether no event is unfinished that may be metered.
  public var isBetweenEvents: Bool {
    switch state {
    case .flowing: splitter.unfinished.isEmpty
    case .gathering, .refusing: false
    case .withholding, .released, .unmetered: true
    }
  }

  /// Ends the metering: at the end of the body, however it came, or when `receive` said so.
  ///
  /// Bytes that were not yet passed on are withheld from then on.
  public mutating func finish() -> StreamEnd {
    var isTorn = false
    if state == .gathering { readGathered() }
    if state == .flowing {
      state = .withholding
      if let event = splitter.finish() {
        let reading = read(event)
        hasTerminator = reading == .terminator
        isTorn = !event.isTerminated && reading == .unreadable
        if !isTorn { noteIfUnreadable(reading) }
        StreamMeter.append(event.range, as: reading, of: splitter.bytes, to: &withheld)
      }
    }
    return StreamEnd(
      report: report, hasTerminator: hasTerminator, isTorn: isTorn, hasEvents: hasEvents)
  }

  /// Appends to `output` what was withheld: call it when the usage has been recorded.
  public mutating func takeWithheld(into output: inout [UInt8]) {
    guard state == .withholding else { return }
    output.append(contentsOf: withheld)
    withheld = []
    state = .released
  }
}

/// How a stream ended.
public struct StreamEnd: Sendable, Hashable {
  public internal(set) var report: UsageReport
  /// Whether the event that ends such streams was seen.
  public internal(set) var hasTerminator: Bool
  /// Whether the body ended within an event.
  public internal(set) var isTorn: Bool
  /// Whether there was an event with data that could be read.
  public internal(set) var hasEvents: Bool

  /// Whether a body that wasn't broken off can't be understood: it ended within an event, or had
  /// none.
  public var isIncomplete: Bool { isTorn || !hasEvents }
}

extension StreamMeter {
  /// What an event turned out to be, and so what becomes of its bytes.
  private enum Reading: Equatable {
    case pass
    /// Passes without these bytes.
    case cut(Range<Int>)
    /// Is there only because usage was asked for.
    case drop
    case terminator
    /// Passes, and can't be metered.
    case unreadable
  }

  /// Gathers a body that starts like a JSON object, and gives up metering one that starts like
  /// other JSON or a page: an event stream never does.
  private mutating func checkFormat(_ chunk: [UInt8]) {
    guard !hasReceived, state == .flowing, let first = chunk.first(where: { !$0.isJSONSpace })
    else { return }
    hasReceived = true
    switch first {
    case UInt8(ascii: "{"):
      state = .gathering
      withheld = Array(splitter.bytes[splitter.unfinished])
    case UInt8(ascii: "["), UInt8(ascii: "<"): giveUp()
    default: break
    }
  }

  private mutating func gather(_ chunk: [UInt8], into output: inout [UInt8]) {
    withheld += chunk
    guard withheld.count > largestEvent else { return }
    endReading(into: &output, passing: withheld[...])
    withheld = []
  }

  /// Reads a body that is a JSON object.
  private mutating func readGathered() {
    state = .withholding
    guard let root = try? parser.parse(withheld), root.kind == .object else {
      return answer.noteUnreadable()
    }
    hasEvents = true
    answer.read(answer: root)
    if answer.isError { isError = true }
  }

  /// Meters nothing of what comes from now on: it passes as it is.
  public mutating func giveUp() {
    state = .unmetered
    answer.noteUnreadable()
  }

  /// Ends the reading where something is too large for it. `rest` passes if it may.
  private mutating func endReading(into output: inout [UInt8], passing rest: ArraySlice<UInt8>) {
    giveUp()
    if passesUnread { output.append(contentsOf: rest) } else { state = .refusing }
  }

  private mutating func passEvents(into output: inout [UInt8]) {
    // What passes is mostly in one piece: events follow each other without a gap.
    let start = splitter.unfinished.lowerBound
    var piece = start..<start
    do {
      while let event = try splitter.next() {
        let reading = read(event)
        noteIfUnreadable(reading)
        switch reading {
        case .pass, .unreadable:
          piece = piece.lowerBound..<event.range.upperBound
        case .cut(let removal):
          // More of them are likely to come.
          if output.isEmpty { output.reserveCapacity(splitter.bytes.count) }
          output.append(contentsOf: splitter.bytes[piece.lowerBound..<removal.lowerBound])
          piece = removal.upperBound..<event.range.upperBound
        case .drop:
          output.append(contentsOf: splitter.bytes[piece])
          piece = event.range.upperBound..<event.range.upperBound
        case .terminator:
          output.append(contentsOf: splitter.bytes[piece])
          state = .withholding
          hasTerminator = true
          withheld.append(contentsOf: splitter.bytes[event.range.lowerBound...])
          return
        }
      }
      if output.isEmpty, piece == 0..<splitter.unfinished.lowerBound {
        splitter.moveFinished(into: &output)
      } else {
        output.append(contentsOf: splitter.bytes[piece])
      }
    } catch {
      // The event passes its limit.
      output.append(contentsOf: splitter.bytes[piece])
      endReading(into: &output, passing: splitter.bytes[splitter.unfinished])
    }
  }

  private mutating func noteIfUnreadable(_ reading: Reading) {
    if reading == .unreadable { answer.noteUnreadable() }
  }

  private mutating func withhold(_ bytes: Span<UInt8>) {
    let room = StreamMeter.largestTail - withheld.count
    if bytes.count > room { answer.noteUnreadable() }
    bytes.extracting(first: max(0, room)).withUnsafeBufferPointer {
      withheld.append(contentsOf: $0)
    }
  }

  private static func append(
    _ event: Range<Int>, as reading: Reading, of bytes: [UInt8], to output: inout [UInt8]
  ) {
    switch reading {
    case .drop: break
    case .cut(let removal):
      output.append(contentsOf: bytes[event.lowerBound..<removal.lowerBound])
      output.append(contentsOf: bytes[removal.upperBound..<event.upperBound])
    case .pass, .terminator, .unreadable: output.append(contentsOf: bytes[event])
    }
  }

  /// Reads an event's usage, and tells what becomes of its bytes.
  private mutating func read(_ event: ServerSentEvent) -> Reading {
    let root: JSONValue
    var offset: Int?
    do {
      switch event.data {
      case .none: return .pass
      case .line(let range):
        if range.isEmpty { return .pass }
        if StreamMeter.isTerminator(splitter.bytes.span.extracting(range)) { return endEvents() }
        if let repetition = repeated?.match(splitter.bytes.span.extracting(range)) {
          return pass(repetition, at: range.lowerBound)
        }
        root = try parser.parse(splitter.bytes.span.extracting(range))
        offset = range.lowerBound
      case .lines(let data):
        if StreamMeter.isTerminator(data.span) { return endEvents() }
        root = try parser.parse(data)
      }
    } catch {
      return .unreadable
    }
    guard root.kind == .object else { return .unreadable }
    repeated = nil
    hasEvents = true
    let kind = answer.read(event: root)
    if answer.isError { isError = true }
    switch kind {
    case .last: return .terminator
    case .usageOnly where hidesUsage: return .drop
    case .emptyUsage where hidesUsage:
      return offset.map { pass(root, at: $0, without: "usage") } ?? .pass
    case .ordinary, .emptyUsage: return offset.map { pass(root, at: $0) } ?? .pass
    case .usageOnly: return .pass
    }
  }

  private mutating func endEvents() -> Reading {
    hasEvents = true
    return .terminator
  }

  private mutating func pass(
    _ repetition: RepeatedEvent.Repetition, at offset: Int
  ) -> Reading {
    answer.repeatLastEvent(textBytes: repetition.textBytes)
    return repetition.removal.map { .cut($0.shifted(by: offset)) } ?? .pass
  }

  /// Passes an event on, and remembers it: the next may be the same but for its text.
  ///
  /// - Parameter unwanted: without `include_usage` the provider would have left this member out.
  private mutating func pass(
    _ root: JSONValue, at offset: Int, without unwanted: StaticString? = nil
  ) -> Reading {
    let removal = unwanted.flatMap { JSONLocatedObject(root: root)?.member($0)?.removal }
    if let textBytes = answer.repeatableText {
      repeated = RepeatedEvent(root, textBytes: textBytes, removal: removal)
    }
    return removal.map { .cut($0.shifted(by: offset)) } ?? .pass
  }

  /// The official clients end at data that starts so, whatever follows.
  private static func isTerminator(_ data: Span<UInt8>) -> Bool {
    let text: StaticString = "[DONE]"
    guard data.count >= text.utf8CodeUnitCount else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { data[$0] == text.utf8Start[$0] }
  }
}

extension UInt8 {
  /// Whether JSON may have this byte between its values.
  var isJSONSpace: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
      || self == UInt8(ascii: "\n")
  }
}
