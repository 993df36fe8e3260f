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
    /// from the one that the process was started with, such as `proxy.listen`.
    case replaced(LoadedConfiguration, awaitingRestart: [String])
    /// Nothing changed, because of these mistakes.
    case refused([Diagnostic])
  }

  private struct State {
    var settings: Settings
    var fingerprints: [String: Int?]
    /// Of the latest load.
    var clients: DecodedClients?
    var isLatestRefused = false
    /// Reloads begun, and the one among them that came last to an end.
    var reloadsBegun = 0
    var latestReload = 0
  }

  private let loader: ConfigurationLoader
  private let restartOnlyValues: [String: String]
  private let state: Lock<State>
  /// Of the first load.
  public let warnings: [Diagnostic]

  /// Loads the settings, or throws every mistake in them.
  public init(_ loader: ConfigurationLoader) throws(ConfigurationError) {
    let attempt = loader.attempt()
    let loaded = try attempt.result.get()
    self.loader = loader
    restartOnlyValues = loaded.settings.restartOnlyValues
    warnings = loaded.warnings
    state = Lock(
      State(
        settings: loaded.settings, fingerprints: attempt.fingerprints, clients: attempt.clients))
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

  /// Reloads if the content of a file is another than before; a mere touch does nothing.
  public func reloadIfChanged() -> ReloadOutcome {
    let known = state.withLock { $0.fingerprints }
    return loader.fingerprints(of: known.keys) == known ? .unchanged : reload()
  }

  /// Reads everything again, and puts all of it in force or nothing.
  public func reload() -> ReloadOutcome {
    let (reload, clients) = state.withLock { state in
      state.reloadsBegun += 1
      return (state.reloadsBegun, state.clients)
    }
    let attempt = loader.attempt(knowing: clients)
    let isLatest = state.withLock { state in
      guard reload > state.latestReload else { return false }
      state.latestReload = reload
      state.fingerprints = attempt.fingerprints
      state.clients = attempt.clients
      switch attempt.result {
      case .success(let loaded):
        state.settings = loaded.settings
        state.isLatestRefused = false
      case .failure:
        state.isLatestRefused = true
      }
      return true
    }
    guard isLatest else { return .unchanged }
    switch attempt.result {
    case .success(let loaded):
      return .replaced(loaded, awaitingRestart: awaitingRestart(loaded.settings))
    case .failure(.mistakes(let mistakes)):
      return .refused(mistakes)
    }
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
