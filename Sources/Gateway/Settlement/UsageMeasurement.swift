internal import Budgets
internal import Configuration
internal import EventLoop
internal import Ledger
internal import Metering
internal import Pricing

/// Finds the usage that a request is charged, and says where the figure comes from.
///
/// A value of its own, so that the rules of estimates need no connection and no ledger.
struct UsageMeasurement {
  let facts: RequestFacts
  let quote: Quote
  /// The hold.
  let bound: Consumption
  let statistics: ModelStatistics
  /// The time in which the model may have written; nil before the request was sent.
  let generationTime: Duration?
  /// Whether Catraca read the answer to its end for a client that had left.
  let wasDrained: Bool

  /// The usage that is charged: the reported usage, else none for an error before the model began,
  /// else an estimate within the hold.
  ///
  /// - Parameter report: the report of `completion`, without sessions that were paid before.
  func usage(_ completion: Completion, _ report: UsageReport?) -> (Usage, UsageSource) {
    let calls = report?.extraCalls.reduce(0) { $0 + $1.count } ?? 0
    if let reported = report?.usage {
      if let usage = usage(ofSound: reported, report) { return (usage, .estimated) }
      return (reported.with(calls: calls) ?? reported, wasDrained ? .drained : .reported)
    }
    if completion.outcome == .providerError, completion.status >= 400 || isEmpty(completion) {
      return (.zero, .reported)
    }
    let estimate = estimate(report, generated: generatedTokens(before: completion))
    return (estimate.with(calls: calls) ?? estimate, .estimated)
  }

  /// Whether an error came to its end, and neither output nor the name of a model that had begun.
  /// Sound and images have no text, so nobody can tell whether some came.
  private func isEmpty(_ completion: Completion) -> Bool {
    guard let report = completion.report, !completion.isCut, !completion.isUnintelligible,
      !facts.isMedia, !facts.asksForAudio
    else { return false }
    return report.isError && !report.isUnreadable && report.responseModel == nil
      && report.outputTextBytes == 0
      && report.outputAudioTokens == 0 && report.extraCalls.isEmpty
  }

  /// The usage of a model that is priced by tokens, if the answer tells only the duration of the
  /// sound.
  ///
  /// - Returns: nil if the answer has the quantities that the model is priced by.
  private func usage(ofSound reported: Usage, _ report: UsageReport?) -> Usage? {
    guard reported.audioMilliseconds > 0, reported.totalTokens == 0,
      let units = quote.terms.model?.pricedUnits,
      units.contains(.token), !units.contains(.millisecond)
    else { return nil }
    var facts = facts
    facts.estimatedAudioMilliseconds = reported.audioMilliseconds
    return estimate(report, facts)
  }

  private func estimate(
    _ report: UsageReport?, _ other: RequestFacts? = nil, generated: Int64 = 0
  ) -> Usage {
    Estimate.usage(
      for: other ?? facts, outputTextBytes: report?.outputTextBytes ?? 0,
      outputAudioTokens: report?.outputAudioTokens ?? 0, generatedTokens: generated,
      by: quote.rates
    )
    .limited(to: bound, quote.demand)
  }

  /// The tokens that the model may have made in the provider's time. They count for an answer that
  /// was cut, because its last part never came, and for a whole answer of a model that reasons,
  /// because thoughts make no text. A transcript that was cut has as many tokens as its sound can
  /// hold.
  private func generatedTokens(before completion: Completion) -> Int64 {
    if completion.isCut, facts.isMedia { return facts.usualTranscriptTokens }
    guard facts.growsWithTime, let generationTime else { return 0 }
    let rate = statistics.generation(provider: quote.provider.name, model: quote.modelName)
    guard completion.isCut || rate.reasons && completion.outcome != .providerError else { return 0 }
    if completion.showsAllText && rate.writesOnlyText { return 0 }
    let (tokens, overflow) = rate.tokens(in: generationTime).multipliedReportingOverflow(
      by: quote.demand.choices)
    return overflow ? .max : tokens
  }

  /// The estimate beside the reported usage. A restart learns from it, and reports show the error
  /// of estimates.
  func check(_ report: UsageReport?, _ texts: MeasuredTexts?) -> EstimateCheck {
    EstimateCheck(
      estimatedTokens: estimate(report).totalTokens, inputTextBytes: texts?.inputBytes ?? 0,
      outputTextBytes: texts?.outputBytes ?? 0, choices: quote.demand.choices)
  }

  // MARK: The whole hold

  /// All tokens that are held.
  var wholeHold: Usage {
    let input = min(quote.demand.inputTokens, Usage.largestCount)
    let output = min(max(0, bound.tokens - input), Usage.largestCount)
    return Usage(inputTokens: input, outputTokens: output) ?? .zero
  }
}

extension Usage {
  /// The same, cut to what is held: an estimate never costs more than was set aside.
  func limited(to bound: Consumption, _ demand: Demand) -> Usage {
    let input = min(inputTokens, demand.inputTokens)
    let output = max(0, min(outputTokens, bound.tokens - demand.inputTokens))
    return Usage(
      inputTokens: input, audioInputTokens: min(audioInputTokens, input), outputTokens: output,
      audioOutputTokens: min(audioOutputTokens, output),
      imageOutputTokens: min(imageOutputTokens, output - min(audioOutputTokens, output)),
      audioMilliseconds: audioMilliseconds, characters: characters, images: images) ?? .zero
  }
}
