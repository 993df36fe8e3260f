import EventLoop

/// Runs `body` as a task of a new event loop, and waits for it.
func onLoop(
  _ body: @escaping @Sendable (EventLoop) async throws -> Void
) async throws {
  let group = try EventLoopGroup(count: 1)
  let loop = group.loops[0]
  defer { group.stop() }
  try await Task(executorPreference: loop) { try await body(loop) }.value
}
