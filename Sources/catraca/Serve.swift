internal import Configuration
internal import EventLoop
internal import JSON
internal import Logging

/// `catraca serve`: runs the proxy until it is told to stop.
enum Serve {
  /// - Returns: The exit status.
  static func run(configurationFolder: String, environment: [String: String]) async -> Int32 {
    SignalSource.ignoreBrokenPipes()
    do {
      let loader = ConfigurationLoader(
        folder: configurationFolder, environment: environment, missingSecrets: .refused)
      let store = try ConfigurationStore(loader)
      let logger = try Logger(level: store.current.log.level, format: store.current.log.format)
      do {
        let server = try await Server(store, logger: logger)
        try await server.runUntilStopped()
      } catch {
        logger.log(.error, "start_failed") { $0.member("reason", "\(error)") }
        logger.close()
        return 1
      }
      logger.close()
      return 0
    } catch {
      StandardError.write("\(error)")
      return 1
    }
  }
}
