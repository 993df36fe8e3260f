internal import HTTP
internal import Ledger
internal import Metering
internal import Objects
internal import Upstream

/// How a request that was forwarded ended.
struct Completion {
  /// Of the provider's answer, else of ours; 0 if there was none.
  var status: Int
  var outcome: Outcome
  /// The answer's report of its usage, as far as it came; nil if it wasn't read.
  var report: UsageReport?
  /// Whether the answer broke off before its proper end, so that nobody saw all of it.
  var isCut = false
  /// Whether what came is too large to be read, is in a coding that can't be undone, or has no
  /// sense. Nothing broke it off but, for that reason, Catraca.
  var isUnintelligible = false
  /// Whether the text in `report` is all that a model without thoughts can have written until the
  /// end: it came as a stream, and was read as it came.
  var showsAllText = false
  /// The objects that are to be recorded with the row; nil for all that the answer has shown.
  var madeObjects: [MadeObject]?

  /// Whether a good answer came that can't be read. It may have cost all that is held.
  ///
  /// Example: an app asks for the probabilities of each token, so that the answer is larger than
  /// what is read. An answer that says that the provider failed isn't good.
  var isUnread: Bool {
    if report?.isAmbiguous == true { return true }
    guard (200..<300).contains(status) || status == RealtimeTurn.status else { return false }
    guard let report else { return !isCut || isUnintelligible }
    guard report.usage == nil, !report.isError else { return false }
    return isUnintelligible || report.isUnreadable && !isCut
  }
}

extension UpstreamResponseHead {
  var isEventStream: Bool {
    fields.first(.contentType, beginsWith: "text/event-stream")
  }

  /// Whether the body isn't said to be anything but text.
  var isPlainText: Bool {
    !fields.contains(.contentType) || fields.first(.contentType, beginsWith: "text/")
  }

  var isJSON: Bool {
    fields.first(.contentType, beginsWith: "application/json")
  }

  /// Whether the body is a part of an answer. Nobody asked for one, and nobody can tell what it is
  /// a part of.
  var isPartial: Bool { status == 206 }
}

extension MeteredRequest {
  /// Whether a stream of events was asked for. A transcript may be plain text all the same.
  var expectsStream: Bool { facts.stream && facts.transcript == nil }
}
