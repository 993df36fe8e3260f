internal import Budgets
internal import Configuration
internal import EventLoop
internal import HTTP
internal import Ledger
internal import Metering
internal import Upstream

/// The hold of one response of a session, or of one transcription, until it is settled.
///
/// Before anything is sent that may bring it about, it is opened: its intent is written down.
final class RealtimeTurn {
  private let forwarded: ForwardedRequest
  /// The most that the turn may use.
  private let bound: RequestFacts
  private(set) var isOpen = false
  /// Set when the provider has begun the response.
  var responseID: String?
  /// The client's name for the event that asked for it.
  var eventID: String?
  var meter = RealtimeMeter()

  init(_ forwarded: ForwardedRequest, bound: RequestFacts) {
    self.forwarded = forwarded
    self.bound = bound
  }

  var model: String { bound.model }

  /// Whether what is held pays for this, too.
  func covers(_ facts: RequestFacts) -> Bool {
    facts.boundAudioTokens <= bound.boundAudioTokens
      && facts.boundInputTokens <= bound.boundInputTokens
      && facts.audioMilliseconds <= bound.audioMilliseconds
      && facts.outputLimit ?? .max <= bound.outputLimit ?? .max
  }

  var provider: Provider { forwarded.quote.provider }

  /// The fields of the answer that begins the session which this is the first hold of.
  func responseFields(_ head: UpstreamResponseHead) -> HeaderFields {
    forwarded.responseFields(head, remaining: forwarded.grant.tightest)
  }

  func open() async throws(Refusal) {
    guard !isOpen else { return }
    forwarded.beginTurn()
    try await forwarded.writeIntent()
    isOpen = true
  }

  /// The response was asked for, or the provider has begun it by itself: from now on the model may
  /// write, whether or not any event of it arrives.
  func begin() {
    forwarded.generationStartedAt = .now()
  }

  /// Reads an event of its response; the first one has its first byte.
  func noteDelta() {
    if forwarded.firstByteAt == nil { forwarded.firstByteAt = .now() }
  }

  /// Ends it with what was used, and returns when its row is safe.
  ///
  /// - Parameter isCut: whether the session ended before its last event.
  func settle(_ outcome: Outcome, _ report: UsageReport, isCut: Bool = false) async {
    _ = await forwarded.settle(
      Completion(status: RealtimeTurn.status, outcome: outcome, report: report, isCut: isCut))
  }

  /// Ends it where nothing came of it.
  func giveBack() async {
    await forwarded.giveBack()
  }

  /// Each row of a session has that of its beginning.
  static let status = 101
}
