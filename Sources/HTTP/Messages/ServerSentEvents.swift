/// One event of a `text/event-stream` body.
///
/// Offsets are into the splitter's `bytes` and hold until it receives more.
public struct ServerSentEvent: Hashable, Sendable {
  /// All its bytes: comments and fields, with the blank line that ends it.
  public let range: Range<Int>
  public let data: Data
  /// Whether a blank line ended it; false only for what is left at the end of a body.
  public let isTerminated: Bool

  /// The event's `data`, without field names and line ends.
  public enum Data: Hashable, Sendable {
    /// No `data` field: comments, or other fields only.
    case none
    /// One `data` line; these bytes of the splitter.
    case line(Range<Int>)
    /// Several `data` lines, joined with line feeds.
    case lines([UInt8])
  }
}

/// Why a body can't be split any further.
public enum ServerSentEventError: Error, Hashable, Sendable {
  /// An event is longer than `limit` bytes.
  case eventTooLarge(limit: Int)
}

/// Splits a `text/event-stream` body, however it is cut into chunks, into whole events.
///
/// Lines end in LF, CRLF or CR. A CR that ends a chunk waits for the next byte, so that a CRLF is
/// never torn and an event's bytes are all of its bytes. Nothing is allocated for an event but when
/// its data stands on several lines.
///
/// ```swift
/// splitter.receive(&chunk)
/// while let event = try splitter.next() { … splitter.bytes[event.range] … }
/// ```
public struct ServerSentEventSplitter: Sendable {
  /// The largest event, in bytes, unless another limit is given: 16 MiB.
  public static let largestEvent = 16 << 20

  /// What was received and not yet dropped: the events of the last chunk, and an unfinished one.
  public private(set) var bytes: [UInt8] = []

  private let limit: Int
  private var eventStart = 0
  private var lineStart = 0
  /// Up to here there is no line end that hasn't been seen.
  private var position = 0
  /// From `position` to here there is none; what is here, if anything, may not be looked at yet.
  /// Each by itself: where all lines end by the one, nothing is searched twice for the other.
  private var nextLineFeed = 0
  private var nextCarriageReturn = 0
  private var data = ServerSentEvent.Data.none
  private var isAtStartOfBody = true

  /// - Parameter largestEvent: how many bytes an event may have.
  public init(largestEvent: Int = ServerSentEventSplitter.largestEvent) {
    limit = largestEvent
  }

  /// What belongs to no event that `next` has given.
  public var unfinished: Range<Int> { eventStart..<bytes.count }

  /// Takes a chunk; the offsets of earlier events end to hold.
  ///
  /// Where nothing is unfinished the array itself is taken, for one without content but with room.
  public mutating func receive(_ chunk: inout [UInt8]) {
    dropFinishedEvents()
    if bytes.isEmpty { swap(&bytes, &chunk) } else { bytes.append(contentsOf: chunk) }
  }

  /// Hands over all bytes of finished events by giving their array away for `array`, whose content
  /// is lost; the offsets of these events hold there.
  public mutating func moveFinished(into array: inout [UInt8]) {
    array.removeAll(keepingCapacity: true)
    swap(&array, &bytes)
    bytes.append(contentsOf: array[eventStart...])
    array.removeLast(bytes.count)
    forgetFinished()
  }

  /// Keeps no room where nothing is unfinished: gives it to `array`, unless that has some. The
  /// offsets of earlier events end to hold.
  public mutating func giveRoom(to array: inout [UInt8]) {
    guard unfinished.isEmpty else { return }
    dropFinishedEvents()
    if array.capacity == 0 { swap(&array, &bytes) } else { bytes = [] }
  }

  /// The next whole event, or nil until more is received.
  ///
  /// When it throws, nothing can follow: `unfinished` has the large event and all behind it.
  public mutating func next() throws(ServerSentEventError) -> ServerSentEvent? {
    while let line = nextLine(isEndOfBody: false) {
      guard position - eventStart <= limit else { throw .eventTooLarge(limit: limit) }
      if let event = take(line) { return event }
    }
    guard unfinished.count <= limit else { throw .eventTooLarge(limit: limit) }
    return nil
  }

  /// What is left at the end of the body: nil if all events were whole. Call it once, after `next`.
  public mutating func finish() -> ServerSentEvent? {
    while let line = nextLine(isEndOfBody: true) {
      if let event = take(line) { return event }
    }
    guard !unfinished.isEmpty else { return nil }
    readField(lineStart..<bytes.count)
    return endEvent(at: bytes.count, isTerminated: false)
  }

  private mutating func dropFinishedEvents() {
    guard eventStart > 0 else { return }
    bytes.removeSubrange(..<eventStart)
    forgetFinished()
  }

  /// They stand in `bytes` no more.
  private mutating func forgetFinished() {
    lineStart -= eventStart
    position -= eventStart
    nextLineFeed = max(0, nextLineFeed - eventStart)
    nextCarriageReturn = max(0, nextCarriageReturn - eventStart)
    if case .line(let range) = data {
      data = .line((range.lowerBound - eventStart)..<(range.upperBound - eventStart))
    }
    eventStart = 0
  }

  /// The next line without its end, which `position` is then behind; nil without a line end.
  private mutating func nextLine(isEndOfBody: Bool) -> Range<Int>? {
    find(Character.lineFeed, at: &nextLineFeed)
    find(Character.carriageReturn, at: &nextCarriageReturn)
    let end = min(nextLineFeed, nextCarriageReturn)
    position = end
    guard end < bytes.count else { return nil }
    let isLast = end + 1 == bytes.count
    // A carriage return that comes last may be one half of a CRLF.
    guard end == nextLineFeed || !isLast || isEndOfBody else { return nil }
    position += nextLineFeed == end + 1 && !isLast ? 2 : 1
    return lineStart..<end
  }

  /// Moves `place` to the first `byte` from `position` on, or to the end where there is none.
  private func find(_ byte: UInt8, at place: inout Int) {
    if place < position { place = position }
    guard place < bytes.count, bytes[place] != byte else { return }
    place = bytes.span.first(byte, in: place..<bytes.count) ?? bytes.count
  }

  /// Reads a line; gives the event that it ends, if it does.
  private mutating func take(_ line: Range<Int>) -> ServerSentEvent? {
    let isBlank = line.isEmpty
    if !isBlank { readField(line) }
    isAtStartOfBody = false
    lineStart = position
    return isBlank ? endEvent(at: position, isTerminated: true) : nil
  }

  private mutating func endEvent(at end: Int, isTerminated: Bool) -> ServerSentEvent {
    let event = ServerSentEvent(range: eventStart..<end, data: data, isTerminated: isTerminated)
    eventStart = end
    lineStart = end
    position = end
    data = .none
    return event
  }

  private mutating func readField(_ line: Range<Int>) {
    guard let value = dataValue(of: line) else { return }
    switch data {
    case .none: data = .line(value)
    case .line(let first):
      data = .lines(bytes[first] + [Character.lineFeed] + bytes[value])
    case .lines(var joined):
      data = .none
      joined.append(Character.lineFeed)
      joined.append(contentsOf: bytes[value])
      data = .lines(joined)
    }
  }

  /// The value of a `data` line; nil for any other line.
  private func dataValue(of line: Range<Int>) -> Range<Int>? {
    var start = line.lowerBound
    if isAtStartOfBody, bytes[line].starts(with: Character.byteOrderMark) {
      start += Character.byteOrderMark.count
    }
    let colon = start + 4
    guard colon <= line.upperBound, bytes[start] == UInt8(ascii: "d"),
      bytes[start + 1] == UInt8(ascii: "a"), bytes[start + 2] == UInt8(ascii: "t"),
      bytes[start + 3] == UInt8(ascii: "a")
    else { return nil }
    guard colon < line.upperBound else { return colon..<colon }
    guard bytes[colon] == Character.colon else { return nil }
    let value = colon + 1
    let hasSpace = value < line.upperBound && bytes[value] == Character.space
    return (hasSpace ? value + 1 : value)..<line.upperBound
  }

  private enum Character {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let colon = UInt8(ascii: ":")
    static let space = UInt8(ascii: " ")
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  }
}
