/// One event of a `text/event-stream` body.
///
/// Offsets refer to the splitter's `bytes` and are valid until it receives more.
public struct ServerSentEvent: Hashable, Sendable {
  /// All bytes of the event: comments and fields, and the blank line that ends it.
  public let range: Range<Int>
  public let data: Data
  /// Whether a blank line ended the event; false only for the rest at the end of a body.
  public let isTerminated: Bool

  /// The event's `data`, without field names and line ends.
  public enum Data: Hashable, Sendable {
    /// No `data` field: only comments or other fields.
    case none
    /// One `data` line: these bytes of the splitter.
    case line(Range<Int>)
    /// Several `data` lines, joined with line feeds.
    case lines([UInt8])
  }
}

/// The reason that a body can't be split further.
public enum ServerSentEventError: Error, Hashable, Sendable {
  /// An event has more than `limit` bytes.
  case eventTooLarge(limit: Int)
}

/// Splits a `text/event-stream` body into whole events, however it is cut into chunks.
///
/// Lines end in LF, CRLF or CR. A CR at the end of a chunk waits for the next byte, so that a CRLF
/// is never split and an event has all of its bytes. An event is allocated only if its data has
/// several lines.
///
/// ```swift
/// splitter.receive(&chunk)
/// while let event = try splitter.next() { … splitter.bytes[event.range] … }
/// ```
public struct ServerSentEventSplitter: Sendable {
  /// The default of the largest event, in bytes: 16 MiB.
  public static let largestEvent = 16 << 20

  /// The received bytes that weren't dropped yet: the events of the last chunk, and an unfinished
  /// one.
  public private(set) var bytes: [UInt8] = []

  private let limit: Int
  private var eventStart = 0
  private var lineStart = 0
  /// The position up to which all line ends were seen.
  private var position = 0
  /// The next line feed and the next carriage return at or after `position`, as far as searched.
  /// They are separate, so that a body with only one kind isn't searched twice for the other.
  private var nextLineFeed = 0
  private var nextCarriageReturn = 0
  private var data = ServerSentEvent.Data.none
  private var isAtStartOfBody = true

  /// - Parameter largestEvent: The most bytes of an event.
  public init(largestEvent: Int = ServerSentEventSplitter.largestEvent) {
    limit = largestEvent
  }

  /// The bytes that belong to no event that `next` has returned.
  public var unfinished: Range<Int> { eventStart..<bytes.count }

  /// Takes a chunk. The offsets of earlier events become invalid.
  ///
  /// If nothing is unfinished, the array itself is taken, in exchange for an empty one with
  /// capacity.
  public mutating func receive(_ chunk: inout [UInt8]) {
    dropFinishedEvents()
    if bytes.isEmpty { swap(&bytes, &chunk) } else { bytes.append(contentsOf: chunk) }
  }

  /// Moves the bytes of finished events into `array`, whose previous content is lost. The offsets
  /// of these events are valid there.
  public mutating func moveFinished(into array: inout [UInt8]) {
    array.removeAll(keepingCapacity: true)
    swap(&array, &bytes)
    bytes.append(contentsOf: array[eventStart...])
    array.removeLast(bytes.count)
    forgetFinished()
  }

  /// Gives up the capacity if nothing is unfinished, to `array` unless that has some. The offsets
  /// of earlier events become invalid.
  public mutating func giveRoom(to array: inout [UInt8]) {
    guard unfinished.isEmpty else { return }
    dropFinishedEvents()
    if array.capacity == 0 { swap(&array, &bytes) } else { bytes = [] }
  }

  /// Returns the next whole event; nil until more is received.
  ///
  /// - Throws: `ServerSentEventError.eventTooLarge`. Nothing can follow then; `unfinished` has the
  ///   large event and all later bytes.
  public mutating func next() throws(ServerSentEventError) -> ServerSentEvent? {
    while let line = nextLine(isEndOfBody: false) {
      guard position - eventStart <= limit else { throw .eventTooLarge(limit: limit) }
      if let event = take(line) { return event }
    }
    guard unfinished.count <= limit else { throw .eventTooLarge(limit: limit) }
    return nil
  }

  /// Returns the rest at the end of the body; nil if all events were complete. Call it once, after
  /// `next`.
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

  /// Adjusts the offsets after finished events were removed from `bytes`.
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

  /// Returns the next line without its end, and moves `position` after it; nil without a line end.
  private mutating func nextLine(isEndOfBody: Bool) -> Range<Int>? {
    find(Character.lineFeed, at: &nextLineFeed)
    find(Character.carriageReturn, at: &nextCarriageReturn)
    let end = min(nextLineFeed, nextCarriageReturn)
    position = end
    guard end < bytes.count else { return nil }
    let isLast = end + 1 == bytes.count
    // A carriage return at the end may be one half of a CRLF.
    guard end == nextLineFeed || !isLast || isEndOfBody else { return nil }
    position += nextLineFeed == end + 1 && !isLast ? 2 : 1
    return lineStart..<end
  }

  /// Moves `place` to the first `byte` from `position` on, or to the end if there is none.
  private func find(_ byte: UInt8, at place: inout Int) {
    if place < position { place = position }
    guard place < bytes.count, bytes[place] != byte else { return }
    place = bytes.span.first(byte, in: place..<bytes.count) ?? bytes.count
  }

  /// Reads a line; returns the event that it ends, if any.
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

  /// Returns the value of a `data` line; nil for any other line.
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
