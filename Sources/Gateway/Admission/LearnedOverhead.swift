internal import Budgets
internal import Configuration
internal import EventLoop
internal import Metering
internal import Pricing
internal import Synchronization
internal import Time

/// The use of answers beyond their bounds: input tokens, such as hidden text that a provider adds,
/// output tokens, and sound. It raises the next bound of the same kind at once.
///
/// Each client is remembered apart, and so are requests with tools, with sound and with text alone:
/// a tool's hidden prompt says nothing about a plain text, and nobody pays for what another client
/// does. The largest excess counts, not the sum. It halves with every hour without a repeat.
///
/// Example: an answer uses 300 tokens more than its bound. The next bound is 300 higher. An answer
/// that again uses 300 beyond the bytes keeps it there. An hour without one leaves 150, nine hours
/// leave nothing.
final class LearnedOverhead: Sendable {
  /// A kind of request: its client, its provider, its model, and its content.
  struct Subject: Hashable, Sendable {
    let client: String
    let provider: String
    let model: String
    let kind: RequestKind
  }

  /// The quantities that an answer may use beyond its bound.
  enum Measure: Hashable, Sendable {
    case inputTokens, outputTokens, audioMilliseconds
  }

  /// The addition to a bound.
  struct Excess: Sendable {
    var inputTokens: Int64 = 0
    var outputTokens: Int64 = 0
    var audioMilliseconds: Int64 = 0
  }

  private struct Place: Hashable {
    let subject: Subject
    let measure: Measure
  }

  private struct Entry {
    var amount: Int64
    var seenAt: Timestamp

    func amount(at now: Timestamp) -> Int64 {
      let halvings = max(0, now.milliseconds - seenAt.milliseconds) / LearnedOverhead.halfLife
      return halvings < Int64.bitWidth - 1 ? amount >> halvings : 0
    }
  }

  /// Milliseconds after which half of an excess is left.
  private static let halfLife: Int64 = 3600 * 1000
  /// Excesses that are remembered at most; the one that was seen first makes room.
  static let capacity = 4096
  /// More sound than this is never added: an hour.
  static let longestSound: Int64 = 3600 * 1000

  private let entries = Lock<[Place: Entry]>([:])
  /// So that requests need not look while nothing is there, as is the rule.
  private let count = Atomic<Int>(0)

  /// The addition to a bound for this kind of request.
  func excess(at now: Timestamp, for subject: @autoclosure () -> Subject) -> Excess {
    guard count.load(ordering: .relaxed) > 0 else { return Excess() }
    let subject = subject()
    return entries.withLock { entries in
      func amount(_ measure: Measure) -> Int64 {
        entries[Place(subject: subject, measure: measure)]?.amount(at: now) ?? 0
      }
      return Excess(
        inputTokens: amount(.inputTokens), outputTokens: amount(.outputTokens),
        audioMilliseconds: amount(.audioMilliseconds))
    }
  }

  /// Takes in that an answer used `excess` more than the bound had without any overhead.
  ///
  /// - Parameter limit: more than this is never added: the model's context, or `longestSound`.
  func note(
    _ excess: Int64, _ measure: Measure, of subject: Subject, atMost limit: Int64,
    at now: Timestamp
  ) {
    let amount = min(excess, limit)
    guard amount > 0 else { return }
    let place = Place(subject: subject, measure: measure)
    entries.withLock { entries in
      if let known = entries[place], known.amount(at: now) > amount { return }
      if entries[place] == nil, entries.count >= LearnedOverhead.capacity {
        entries = entries.filter { $0.value.amount(at: now) > 0 }
        if entries.count >= LearnedOverhead.capacity,
          let oldest = entries.min(by: { $0.value.seenAt < $1.value.seenAt })
        {
          entries[oldest.key] = nil
        }
      }
      entries[place] = Entry(amount: amount, seenAt: now)
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
  func learn(from usage: Usage, of forwarded: ForwardedRequest) {
    let quote = forwarded.quote
    let facts = forwarded.request.facts
    let added = quote.overhead
    let input = quote.demand.inputTokens - added.inputTokens - added.outputTokens
    // The overhead of output is held beside the input, so that limits of the output stay.
    let output = forwarded.grant.bound.tokens - quote.demand.inputTokens
    let excesses: [(Measure, Int64, Bool)] = [
      (.inputTokens, usage.inputTokens - input, !quote.isCounted),
      // A tool that draws is held for beside the output, and used with it.
      (.outputTokens, usage.outputTokens - output, facts.imageToolModel == nil),
      (
        .audioMilliseconds, usage.audioMilliseconds - facts.audioMilliseconds,
        facts.audioMilliseconds > 0
      ),
    ]
    for (measure, excess, teaches) in excesses where teaches && excess > 0 {
      let context = quote.terms.model?.declaration.contextTokens
      let limit = context ?? PricedModel.assumedLargestOutput
      note(
        excess, measure,
        of: Subject(
          client: forwarded.request.identity.client.id, provider: quote.provider.name,
          model: quote.modelName, kind: facts.kind),
        atMost: measure == .audioMilliseconds ? LearnedOverhead.longestSound : limit,
        at: forwarded.gateway.clock())
    }
  }
}
