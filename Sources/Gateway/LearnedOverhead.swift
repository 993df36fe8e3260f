internal import Budgets
internal import Configuration
internal import EventLoop
internal import Metering
internal import Pricing
internal import Synchronization
internal import Time

/// The input tokens that answers were seen to use beyond their bound, such as hidden text that a
/// provider adds. The next bound of the same kind is raised by them at once.
///
/// Each client is remembered apart, and so are requests with tools, with sound and with text alone:
/// a tool's hidden prompt says nothing about a plain text, and nobody pays for what another client
/// does. The largest excess counts, not the sum. It halves with every hour without a repeat.
///
/// Example: an answer uses 300 tokens more than its bound. The next bound is 300 higher. An answer
/// that again uses 300 beyond the bytes keeps it there. An hour without one leaves 150, nine hours
/// leave nothing.
final class LearnedOverhead: Sendable {
  /// Whose requests to what.
  struct Subject: Hashable, Sendable {
    let client: String
    let provider: String
    let model: String
    let kind: RequestKind
  }

  private struct Entry {
    var tokens: Int64
    var seenAt: Timestamp

    func tokens(at now: Timestamp) -> Int64 {
      let halvings = max(0, now.milliseconds - seenAt.milliseconds) / LearnedOverhead.halfLife
      return halvings < Int64.bitWidth - 1 ? tokens >> halvings : 0
    }
  }

  /// Milliseconds after which half of an excess is left.
  private static let halfLife: Int64 = 3600 * 1000
  /// Subjects that are remembered at most; the one that was seen first makes room.
  static let capacity = 4096

  private let entries = Lock<[Subject: Entry]>([:])
  /// So that requests need not look while nothing is there, as is the rule.
  private let count = Atomic<Int>(0)

  /// Tokens to add to a bound.
  func tokens(at now: Timestamp, for subject: @autoclosure () -> Subject) -> Int64 {
    guard count.load(ordering: .relaxed) > 0 else { return 0 }
    return entries.withLock { $0[subject()]?.tokens(at: now) ?? 0 }
  }

  /// Takes in that an answer used `excess` more input tokens than the bound had without any
  /// overhead.
  ///
  /// - Parameter limit: more than this is never added: the model's context.
  func note(_ excess: Int64, of subject: Subject, atMost limit: Int64, at now: Timestamp) {
    let tokens = min(excess, limit)
    guard tokens > 0 else { return }
    entries.withLock { entries in
      if let known = entries[subject], known.tokens(at: now) > tokens { return }
      if entries[subject] == nil, entries.count >= LearnedOverhead.capacity {
        entries = entries.filter { $0.value.tokens(at: now) > 0 }
        if entries.count >= LearnedOverhead.capacity,
          let oldest = entries.min(by: { $0.value.seenAt < $1.value.seenAt })
        {
          entries[oldest.key] = nil
        }
      }
      entries[subject] = Entry(tokens: tokens, seenAt: now)
      count.store(entries.count, ordering: .relaxed)
    }
  }
}

/// Kinds of requests to which providers add different things.
enum RequestKind: Hashable, Sendable {
  case text, tools, sound
}

extension RequestFacts {
  var kind: RequestKind {
    switch operation {
    case .transcription, .translation, .speech, .realtime: .sound
    default: hasAudioInput || asksForAudio ? .sound : toolCount > 0 || calls > 0 ? .tools : .text
    }
  }
}

extension LearnedOverhead {
  /// Learns from what an answer used, as its provider reported it.
  func learn(from usage: Usage, of passage: Passage) {
    let offer = passage.offer
    let excess = usage.inputTokens - (offer.demand.inputTokens - offer.overhead)
    guard excess > 0, !offer.isCounted else { return }
    let context = offer.terms.model?.declaration.contextTokens
    note(
      excess,
      of: Subject(
        client: passage.request.identity.client.id, provider: offer.provider.name,
        model: offer.modelName, kind: passage.request.facts.kind),
      atMost: context ?? PricedModel.assumedLargestOutput, at: passage.gateway.clock())
  }
}
