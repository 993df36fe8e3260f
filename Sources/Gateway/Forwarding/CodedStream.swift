internal import Compression
internal import EventLoop
internal import HTTP
internal import Metering
internal import Upstream

/// The body of a stream that a provider has coded: decoded for the meter, and coded for the client.
///
/// The client gets the provider's bytes as they came. They pass once each event that begins in them
/// has come whole, so that nothing of an event passes before the meter has read it. If Catraca has
/// to take something out of the stream, the decoded bytes pass instead.
///
/// Example: a piece brings the end of one event and half of the next. It is kept until a later
/// piece brings the other half. An encoder that flushes after each event makes no such pieces.
final class CodedStream {
  /// Whether the client gets the decoded bytes.
  let passesDecoded: Bool
  /// Whether the rest can't be decoded, and so passes as it is, unmetered.
  private(set) var isOpaque = false
  private var decoder: ContentDecoder
  /// Whether the body can't be decoded any further.
  private(set) var isFaulty = false
  /// Whether the body has ended within its coding.
  private(set) var isTruncated = false
  /// The piece that is being decoded, and how far it is.
  private var piece: [UInt8] = []
  private var position = 0
  private var hasMore = false
  /// Whether the piece has ended an event.
  private var endsEvent = false
  /// Earlier pieces that may not pass yet.
  private var held: [UInt8] = []

  /// Nil for a stream that isn't coded, or that nobody can decode.
  init?(_ coding: BodyCoding, passesDecoded: Bool) {
    guard case .coded(let coding) = coding else { return nil }
    decoder = ContentDecoder(coding)
    self.passesDecoded = passesDecoded
  }

  /// Replaces the content of `bytes` by decoded ones, as `Transfer.next` does; by coded ones once
  /// `isOpaque`. There may be none.
  func next(
    of transfer: Transfer, into bytes: inout [UInt8]
  ) async throws(UpstreamError) -> Bool {
    if isFaulty {
      guard !passesDecoded else { throw .broken(.coding) }
      if !isOpaque {
        isOpaque = true
        // Of what may pass now, nothing is new.
        bytes.removeAll(keepingCapacity: true)
        return true
      }
      return try await transfer.next(into: &bytes)
    }
    if !hasMore {
      held += piece
      endsEvent = false
      guard try await transfer.next(into: &piece) else {
        piece = []
        bytes.removeAll(keepingCapacity: true)
        isTruncated = !decoder.isComplete
        guard !isTruncated || !passesDecoded else { throw .broken(.coding) }
        return false
      }
      position = 0
    }
    bytes.removeAll(keepingCapacity: true)
    decode(into: &bytes)
    return true
  }

  private func decode(into bytes: inout [UInt8]) {
    do throws(DecodingError) {
      hasMore = try decoder.decode(piece, from: &position, into: &bytes)
    } catch {
      isFaulty = true
      hasMore = false
    }
  }

  /// Replaces decoded events by the coded bytes that may pass, once the meter has read what `next`
  /// gave. Opaque bytes pass behind them.
  ///
  /// - Parameters:
  ///   - passing: the events that have become whole; they aren't all of a decoded piece.
  ///   - isBetweenEvents: whether no event is unfinished now.
  func replace(_ passing: inout [UInt8], isBetweenEvents: Bool) {
    guard !isOpaque else {
      if !held.isEmpty || !piece.isEmpty { passing = takeRest() + passing }
      return
    }
    endsEvent = endsEvent || !passing.isEmpty
    passing.removeAll(keepingCapacity: true)
    guard endsEvent || isBetweenEvents else { return }
    passing += held
    held.removeAll(keepingCapacity: true)
    guard isBetweenEvents, !hasMore else { return }
    passing += piece
    piece.removeAll(keepingCapacity: true)
  }

  /// Takes all coded bytes that haven't passed.
  func takeRest() -> [UInt8] {
    let rest = held + piece
    (held, piece) = ([], [])
    return rest
  }
}
