internal import EventLoop

/// The settings in force. A reload replaces them completely or not at all.
///
/// A reader takes a snapshot for the time of one task. Several threads may reload; the reload that
/// began last wins.
public final class ConfigurationStore: Sendable {
  /// The result of a reload.
  public enum ReloadOutcome: Sendable {
    /// No file differs from the last read, whether that one is in force or was refused.
    case unchanged
    /// The new settings are in force. `awaitingRestart` names the settings whose value differs from
    /// the process's start, for example `proxy.listen`. `changes` lists the differences in the
    /// number of declarations, for example `budgets: 6 before, 4 now`.
    case replaced(LoadedConfiguration, awaitingRestart: [String], changes: [String])
    /// Nothing changed, because of these mistakes.
    case refused([Diagnostic])
    /// Nothing changed, because a file may be truncated. If the same files are read again after
    /// `settlingTime`, they come into force.
    case lossRefused(SuddenLoss)
  }

  private struct State {
    var settings: Settings
    /// The counts of `settings`.
    var counts: DeclaredCounts
    /// The refused loss of the latest load, until the files change or are accepted.
    var refusedLoss: RefusedLoss?
    var fingerprints: [String: Int?]
    /// The clients of the latest load.
    var clients: DecodedClients?
    var isLatestRefused = false
    /// The number of reloads begun, and the number of the latest one that has ended.
    var reloadsBegun = 0
    var latestReload = 0
  }

  private let loader: ConfigurationLoader
  private let now: @Sendable () -> ContinuousClock.Instant
  private let restartOnlyValues: [String: String]
  private let state: Lock<State>
  /// The warnings of the first load.
  public let warnings: [Diagnostic]

  /// The time for which the store refuses files with less than half of the declarations in force.
  public static var settlingTime: Duration { RefusedLoss.settlingTime }

  /// Loads the settings.
  /// - Throws: `ConfigurationError` with every mistake.
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

  /// Whether the last files that were read are in force.
  public var isUpToDate: Bool {
    state.withLock { !$0.isLatestRefused }
  }

  /// The files to watch, including missing ones.
  public var watchedFiles: WatchedFiles {
    WatchedFiles(paths: state.withLock { Array($0.fingerprints.keys) })
  }

  /// Reloads if the content of a file has changed. A write without a change only confirms a refused
  /// loss.
  ///
  /// - Parameter isAccepted: Whether an administrator has accepted files with this digest. It is
  ///   called only if they have less than half of the declarations in force.
  public func reloadIfChanged(isAccepted: (String) -> Bool = { _ in false }) -> ReloadOutcome {
    let (known, refusedLoss) = state.withLock { ($0.fingerprints, $0.refusedLoss) }
    if loader.fingerprints(of: known.keys) == known {
      guard let stamps = refusedLoss?.stamps, stamps != loader.stamps(of: stamps.keys) else {
        return .unchanged
      }
    }
    return reload(isAccepted: isAccepted)
  }

  /// Applies files that were refused for their loss, if an administrator has accepted them since.
  public func reloadIfAccepted(_ isAccepted: (String) -> Bool) -> ReloadOutcome {
    guard let loss = state.withLock({ $0.refusedLoss }), isAccepted(loss.digest) else {
      return .unchanged
    }
    return reload { $0 == loss.digest }
  }

  /// Reads all files again, and applies all of them or none.
  ///
  /// - Parameter isAccepted: As for `reloadIfChanged`.
  public func reload(isAccepted: (String) -> Bool = { _ in false }) -> ReloadOutcome {
    let (reload, former) = state.withLock { state in
      state.reloadsBegun += 1
      return (state.reloadsBegun, state)
    }
    // The stamps are taken before the files are read, so that a later write differs.
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

  /// Returns nil if the files may be applied, or if they have mistakes.
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

/// The files and folders to watch for changes.
public struct WatchedFiles: Hashable, Sendable {
  /// The sorted paths of the files.
  public let paths: [String]

  /// The sorted folders of these files. Editors replace a file by renaming another one, which only
  /// its folder shows.
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
