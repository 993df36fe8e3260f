public import HTTP
public import JSON
public import Objects

/// Meters a streamed answer while it passes.
///
/// Bytes go in as they arrive, and come out unchanged as soon as they form whole events. If Catraca
/// requested usage on the client's behalf, the provider's additions for it are removed. The event
/// that ends the stream is withheld (`[DONE]`, or the format's own event): the caller records the
/// usage first, and then takes it.
///
/// If the body is a JSON object instead, it is withheld to its end and read whole. Any other body
/// that isn't a stream of events passes unmetered, and the report is marked.
public struct StreamMeter: ~Copyable {
  /// The next step after some bytes were received.
  public enum Progress: Hashable, Sendable {
    case flowing
    /// The event that ends the stream has come. The caller must finish, record, and take the
    /// withheld bytes.
    case terminated
    /// An event is too large to be read, and may not pass unread. The output so far may be passed
    /// on; no further output follows.
    case refused
  }

  private enum State {
    case flowing
    /// The body is a JSON object, and is withheld until it is complete.
    case gathering
    /// The last event has come. It is withheld, as are all later bytes.
    case withholding
    /// The withheld bytes have been taken, and the rest passes.
    case released
    /// The body isn't a stream of events, and all of it passes.
    case unmetered
    /// Nothing passes any more.
    case refusing
  }

  /// The most bytes that are kept after the last event while it is withheld. No known provider
  /// sends any. Further bytes are dropped, and the report is marked.
  public static let largestTail = 64 << 10

  private let parser: JSONParser
  private let hidesUsage: Bool
  private let passesUnread: Bool
  private let largestEvent: Int
  private let leastSecret: Int
  private let showsSecret: (Span<UInt8>) -> Bool
  private var state = State.flowing
  private var splitter: ServerSentEventSplitter
  private var answer: any AnswerReader
  private var hasReceived = false
  /// Whether something was too large to be read.
  public private(set) var hasLargeEvent = false
  private var hasTerminator = false
  /// Whether an event with data was read, or the whole body.
  private var hasEvents = false
  private var withheld: [UInt8] = []
  /// The last parsed event, if others may repeat it.
  private var repeated: RepeatedEvent?
  /// The bytes of the last parsed event besides its data.
  private var frameBytes = 0
  /// As `takeSecretFound` returns it.
  private var hasSecret = false

  /// - Parameters:
  ///   - facts: The facts of the answered request.
  ///   - hidesUsage: Whether `RequestRewrite` requested the usage, and not the client.
  ///   - parser: The parser of the events. It may serve other streams in between.
  ///   - passesUnread: Whether an event that is too large to be read may pass.
  ///   - leastSecret: The bytes of the shortest text that can show a secret.
  ///   - showsSecret: Whether bytes show a secret that may not pass; see `takeSecretFound`.
  ///   - largestEvent: The largest size of an event, or of a body that is a JSON object, in bytes.
  public init(
    endpoint: Endpoint, facts: RequestFacts, hidesUsage: Bool, parser: JSONParser,
    passesUnread: Bool = true, leastSecret: Int = .max,
    showsSecret: @escaping (Span<UInt8>) -> Bool = { _ in false },
    largestEvent: Int = ServerSentEventSplitter.largestEvent
  ) {
    answer = endpoint.answer.init(for: facts)
    self.hidesUsage = hidesUsage
    self.passesUnread = passesUnread
    self.leastSecret = leastSecret
    self.showsSecret = showsSecret
    self.largestEvent = largestEvent
    self.parser = parser
    splitter = ServerSentEventSplitter(largestEvent: largestEvent)
  }

  /// Takes a chunk of the body, cut anywhere, and appends the bytes that may be passed on to
  /// `output`.
  ///
  /// The chunk's array may be exchanged for another one with undefined content. The meter keeps an
  /// array with capacity only while an event is incomplete.
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
      hasSecret = hasSecret || showsSecret(chunk.span)
      output.append(contentsOf: chunk)
    case .refusing: break
    }
    return switch state {
    case .withholding: .terminated
    case .refusing: .refused
    case .flowing, .gathering, .released, .unmetered: .flowing
    }
  }

  /// Whether the secret was found since the last call, in what has passed or is withheld.
  ///
  /// An event that repeats an earlier one, but for fewer than `leastSecret` bytes of text, isn't
  /// searched: it can't show a secret that the earlier one didn't show. So most events of a model's
  /// answer cost nothing here.
  public mutating func takeSecretFound() -> Bool {
    defer { hasSecret = false }
    return hasSecret
  }

  /// Whether nothing passes any more, because something can't be read and may not pass unread.
  public var isRefusing: Bool { state == .refusing }

  /// Whether an event has reported a failure.
  public private(set) var isError = false

  /// Returns the objects that the stream has shown since the last call. Record them before passing
  /// on the output of `receive`. `report` also contains those of withheld bytes.
  public mutating func takeMadeObjects() -> [MadeObject] { answer.takeMadeObjects() }

  /// The report on the stream so far. Usage before unreadable bytes doesn't count, because streams
  /// may repeat usage as it grows.
  public var report: UsageReport {
    var report = answer.report
    if state == .unmetered || state == .refusing {
      report.usage = nil
      report.breakdown = []
    }
    return report
  }

  /// Whether no event that may be metered is incomplete.
  public var isBetweenEvents: Bool {
    switch state {
    case .flowing: splitter.unfinished.isEmpty
    case .gathering, .refusing: false
    case .withholding, .released, .unmetered: true
    }
  }

  /// Ends the metering: at the end of the body, whether complete or broken off, or when `receive`
  /// has returned `terminated`.
  ///
  /// From then on, bytes that haven't been passed on are withheld.
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

  /// Appends the withheld bytes to `output`. Call it after the usage is recorded.
  public mutating func takeWithheld(into output: inout [UInt8]) {
    guard state == .withholding else { return }
    hasSecret = hasSecret || showsSecret(withheld.span)
    output.append(contentsOf: withheld)
    withheld = []
    state = .released
  }
}

extension StreamMeter {
  /// The result of reading an event, which decides on its bytes.
  private enum Reading: Equatable {
    case pass
    /// The event passes without these bytes.
    case cut(Range<Int>)
    /// The event exists only because usage was requested.
    case drop
    case terminator
    /// The event passes, but can't be metered.
    case unreadable
  }

  /// Gathers a body that begins like a JSON object. Stops metering a body that begins like other
  /// JSON or like a page, because an event stream never does.
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
      answer.noteUnreadable()
      if !passesUnread { state = .refusing }
      return
    }
    hasEvents = true
    answer.meter(answer: root)
    if answer.isError { isError = true }
  }

  /// Stops metering: all further bytes pass unchanged.
  ///
  /// If the bytes may not pass unread, none pass from now on.
  public mutating func giveUp() {
    state = passesUnread ? .unmetered : .refusing
    answer.noteUnreadable()
  }

  /// Stops reading because something is too large. `rest` passes if `passesUnread` allows it.
  private mutating func endReading(into output: inout [UInt8], passing rest: ArraySlice<UInt8>) {
    hasLargeEvent = true
    giveUp()
    guard passesUnread else { return }
    hasSecret = hasSecret || showsSecret(rest.span)
    output.append(contentsOf: rest)
  }

  private mutating func passEvents(into output: inout [UInt8]) {
    // The passed bytes are mostly one piece, because events follow each other without a gap.
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
          // Further cuts are likely, so the output reserves capacity.
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
      // The event exceeds its limit.
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

  /// Reads an event's usage, and returns the decision on its bytes.
  private mutating func read(_ event: ServerSentEvent) -> Reading {
    if case .line(let range) = event.data,
      let repetition = repeated?.match(splitter.bytes.span.extracting(range))
    {
      if repetition.textBytes >= leastSecret || event.range.count - range.count != frameBytes {
        hasSecret = hasSecret || showsSecret(splitter.bytes.span.extracting(event.range))
      }
      return pass(repetition, at: range.lowerBound)
    }
    hasSecret = hasSecret || showsSecret(splitter.bytes.span.extracting(event.range))
    let root: JSONValue
    var offset: Int?
    do {
      switch event.data {
      case .none: return .pass
      case .line(let range):
        if range.isEmpty { return .pass }
        if StreamMeter.isTerminator(splitter.bytes.span.extracting(range)) { return endEvents() }
        frameBytes = event.range.count - range.count
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
    let kind = answer.meter(event: root)
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

  /// Passes an event on, and remembers it, because the next event may equal it except for its text.
  ///
  /// - Parameter unwanted: A member that the provider would have omitted without `include_usage`.
  private mutating func pass(
    _ root: JSONValue, at offset: Int, without unwanted: StaticString? = nil
  ) -> Reading {
    let removal = unwanted.flatMap { JSONLocatedObject(root: root)?.member($0)?.removal }
    if let textBytes = answer.repeatableText {
      repeated = RepeatedEvent(root, textBytes: textBytes, removal: removal)
    }
    return removal.map { .cut($0.shifted(by: offset)) } ?? .pass
  }

  /// The official clients stop at data with this beginning, whatever follows.
  private static func isTerminator(_ data: Span<UInt8>) -> Bool {
    let text: StaticString = "[DONE]"
    guard data.count >= text.utf8CodeUnitCount else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { data[$0] == text.utf8Start[$0] }
  }
}
