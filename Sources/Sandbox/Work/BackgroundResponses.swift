internal import EventLoop

/// Responses that are made in the background. Each is first queued, then in progress for the number
/// of requests for its state that its script asks for, then done. A client can cancel it before.
final class BackgroundResponses: Sendable {
  private struct Entry {
    let answer: SandboxChatAnswer
    var pendingLooks: Int
    var isCancelled = false

    var stage: ResponseStage {
      if isCancelled { return .cancelled }
      return pendingLooks > 0 ? .inProgress : .done
    }
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// The ids, oldest first.
    var order: [String] = []
  }

  private let state = Lock(State())

  /// The most responses that are kept. The oldest is dropped.
  private static let capacity = 10_000

  func add(_ answer: SandboxChatAnswer) {
    state.withLock { state in
      if state.order.count == BackgroundResponses.capacity {
        state.entries[state.order.removeFirst()] = nil
      }
      state.entries[answer.responseID] = Entry(
        answer: answer, pendingLooks: answer.script.pendingLooks)
      state.order.append(answer.responseID)
    }
  }

  /// The response's current state. Each request for it brings its end nearer.
  ///
  /// - Throws: A 404 if there is no such response.
  func look(at id: String) throws(ProviderError) -> (
    answer: SandboxChatAnswer, stage: ResponseStage
  ) {
    try change(id) { entry in
      defer { entry.pendingLooks = max(0, entry.pendingLooks - 1) }
      return (entry.answer, entry.stage)
    }
  }

  /// Cancels a response that isn't done yet.
  ///
  /// - Throws: A 404 if there is no such response.
  func cancel(_ id: String) throws(ProviderError) -> (
    answer: SandboxChatAnswer, stage: ResponseStage
  ) {
    try change(id) { entry in
      entry.isCancelled = entry.isCancelled || entry.pendingLooks > 0
      return (entry.answer, entry.stage)
    }
  }

  private func change(
    _ id: String, _ change: (inout Entry) -> (SandboxChatAnswer, ResponseStage)
  ) throws(ProviderError) -> (answer: SandboxChatAnswer, stage: ResponseStage) {
    try state.withLock { state throws(ProviderError) in
      guard var entry = state.entries[id] else {
        throw ProviderError(
          status: 404, message: "Response with id '\(id)' not found.", param: nil, code: nil)
      }
      let seen = change(&entry)
      state.entries[id] = entry
      return seen
    }
  }
}

/// The state of a response.
enum ResponseStage: String {
  case queued
  case inProgress = "in_progress"
  case done = "completed"
  case cancelled
}
