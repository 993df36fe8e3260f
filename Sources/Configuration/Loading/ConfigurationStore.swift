internal import EventLoop

/// The settings in force, swapped whole or not at all.
///
/// Readers take a snapshot for as long as they work on one thing. Reloads may come from several
/// threads; the one that began last wins.
public final class ConfigurationStore: Sendable {
  /// What a reload came to.
  public enum ReloadOutcome: Sendable {
    /// No file differs from what was read last, be that in force or refused.
    case unchanged
    /// The new settings are in force. `awaitingRestart` names those settings whose value differs
    /// from the one that the process was started with, such as `proxy.listen`. `changes` says of
    /// what the files declare more or less than before, such as `budgets: 6 before, 4 now`.
    case replaced(LoadedConfiguration, awaitingRestart: [String], changes: [String])
    /// Nothing changed, because of these mistakes.
    case refused([Diagnostic])
    /// Nothing changed, because a file may be cut short. The same files are put in force when they
    /// are read again, `settlingTime` later at the earliest.
    case lossRefused(SuddenLoss)
  }

  private struct State {
    var settings: Settings
    /// Of `settings`.
    var counts: DeclaredCounts
    /// Of the latest load, until the files differ or are accepted.
    var refusedLoss: RefusedLoss?
    var fingerprints: [String: Int?]
    /// Of the latest load.
    var clients: DecodedClients?
    var isLatestRefused = false
    /// Reloads begun, and the one among them that came last to an end.
    var reloadsBegun = 0
    var latestReload = 0
  }

  private let loader: ConfigurationLoader
  private let now: @Sendable () -> ContinuousClock.Instant
  private let restartOnlyValues: [String: String]
  private let state: Lock<State>
  /// Of the first load.
  public let warnings: [Diagnostic]

  /// How long the store refuses files that declare less than half of what is in force.
  public static var settlingTime: Duration { RefusedLoss.settlingTime }

  /// Loads the settings, or throws every mistake in them.
  public init(
    _ loader: ConfigurationLoader,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) throws(ConfigurationError) {
    let attempt = loader.attempt()
    let loaded = try attempt.result.get()
    self.loader = loader
    self.now = now
    restartOnlyValues = loaded.settings.restartOnlyValues
    warnings = loaded.warnings
    state = Lock(
      State(
        settings: loaded.settings, counts: DeclaredCounts(loaded.settings),
        fingerprints: attempt.fingerprints, clients: attempt.clients))
  }

  /// The settings in force.
  public var current: Settings {
    state.withLock { $0.settings }
  }

  /// Whether the files as they were read last are those in force.
  public var isUpToDate: Bool {
    state.withLock { !$0.isLatestRefused }
  }

  /// The files whose change matters, missing ones included.
  public var watchedFiles: WatchedFiles {
    WatchedFiles(paths: state.withLock { Array($0.fingerprints.keys) })
  }

  /// Reloads if the content of a file is another than before; a mere touch does nothing, except
  /// that it confirms a loss that was refused.
  ///
  /// - Parameter isAccepted: Whether an administrator has accepted files with this digest; it is
  ///   asked only when they declare less than half of what is in force.
  public func reloadIfChanged(isAccepted: (String) -> Bool = { _ in false }) -> ReloadOutcome {
    let (known, refusedLoss) = state.withLock { ($0.fingerprints, $0.refusedLoss) }
    if loader.fingerprints(of: known.keys) == known {
      guard let stamps = refusedLoss?.stamps, stamps != loader.stamps(of: stamps.keys) else {
        return .unchanged
      }
    }
    return reload(isAccepted: isAccepted)
  }

  /// Puts files in force that were refused for their loss, if an administrator has accepted them
  /// since.
  public func reloadIfAccepted(_ isAccepted: (String) -> Bool) -> ReloadOutcome {
    guard let loss = state.withLock({ $0.refusedLoss }), isAccepted(loss.digest) else {
      return .unchanged
    }
    return reload { $0 == loss.digest }
  }

  /// Reads everything again, and puts all of it in force or nothing.
  ///
  /// - Parameter isAccepted: As for `reloadIfChanged`.
  public func reload(isAccepted: (String) -> Bool = { _ in false }) -> ReloadOutcome {
    let (reload, former) = state.withLock { state in
      state.reloadsBegun += 1
      return (state.reloadsBegun, state)
    }
    // Before the files are read: a later write then differs.
    let stamps = loader.stamps(of: former.fingerprints.keys)
    let attempt = loader.attempt(knowing: former.clients)
    var counts = former.counts
    if case .success(let loaded) = attempt.result { counts = DeclaredCounts(loaded.settings) }
    let refused = refusedLoss(of: attempt, counts, stamps, former, isAccepted)
    let isLatest = state.withLock { state in
      guard reload > state.latestReload else { return false }
      state.latestReload = reload
      state.fingerprints = attempt.fingerprints
      state.clients = attempt.clients
      state.refusedLoss = refused?.record
      if case .success(let loaded) = attempt.result, refused == nil {
        state.settings = loaded.settings
        state.counts = counts
        state.isLatestRefused = false
      } else {
        state.isLatestRefused = true
      }
      return true
    }
    guard isLatest else { return .unchanged }
    if let refused { return .lossRefused(refused.loss) }
    switch attempt.result {
    case .success(let loaded):
      return .replaced(
        loaded, awaitingRestart: awaitingRestart(loaded.settings),
        changes: former.counts.changes(to: counts))
    case .failure(.mistakes(let mistakes)):
      return .refused(mistakes)
    }
  }

  /// Nil where the files may be put in force, or have mistakes.
  private func refusedLoss(
    of attempt: LoadAttempt, _ counts: DeclaredCounts, _ stamps: [String: FileStamp?],
    _ former: State, _ isAccepted: (String) -> Bool
  ) -> (loss: SuddenLoss, record: RefusedLoss)? {
    guard case .success(let loaded) = attempt.result,
      let loss = SuddenLoss(from: former.counts, to: counts)
    else { return nil }
    let now = now()
    let isSame = former.refusedLoss?.fingerprints == attempt.fingerprints
    let firstSeen = isSame ? former.refusedLoss?.firstSeen ?? now : now
    if isSame, now - firstSeen >= RefusedLoss.settlingTime { return nil }
    if isAccepted(loaded.digest) { return nil }
    let record = RefusedLoss(
      fingerprints: attempt.fingerprints, digest: loaded.digest, firstSeen: firstSeen,
      stamps: stamps)
    return (loss, record)
  }

  private func awaitingRestart(_ settings: Settings) -> [String] {
    settings.restartOnlyValues.filter { restartOnlyValues[$0.key] != $0.value }.keys.sorted()
  }
}

/// What to watch for edits.
public struct WatchedFiles: Hashable, Sendable {
  /// Sorted paths of files.
  public let paths: [String]

  /// The sorted folders that these files lie in. Editors replace a file by renaming another
  /// over it, which only its folder shows.
  public var folders: [String] {
    Set(paths.map(Self.folder)).sorted()
  }

  init(paths: [String]) {
    self.paths = paths.sorted()
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
