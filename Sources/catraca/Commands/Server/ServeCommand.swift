internal import Configuration
internal import EventLoop
internal import JSON
internal import Logging
internal import Server
internal import Telemetry

/// `catraca serve`: runs the proxy until it is told to stop.
enum ServeCommand {
  static let command = Command(
    "serve", "runs the proxy until it is told to stop", options: [CommonOptions.config],
    examples: [
      Command.Example(
        line: "serve --config config",
        meaning: "SIGHUP reads the files again, SIGTERM stops when requests in flight have ended")
    ]
  ) { invocation async throws(CommandError) in
    SignalSource.ignoreBrokenPipes()
    do {
      try ProcessLimits.shutIn()
    } catch {
      throw .failed("serve: \(error)")
    }
    let loader = ConfigurationLoader(
      folder: try invocation.values.required(CommonOptions.config),
      files: invocation.surroundings.files, environment: invocation.surroundings.environment,
      missingSecrets: .refused)
    let store: ConfigurationStore
    do throws(ConfigurationError) {
      store = try ConfigurationStore(loader)
    } catch {
      switch error {
      case .mistakes(let mistakes): throw .configuration(mistakes)
      }
    }
    let telemetry: TelemetrySettings?
    do throws(TelemetryError) {
      telemetry = try TelemetrySettings(
        environment: invocation.surroundings.environment, version: Server.version)
    } catch {
      throw .failed("serve: \(error)")
    }
    do {
      let log = store.current.log
      let logger = try Logger(
        log.file.map { .file(path: $0) } ?? .standardOutput, level: log.level, format: log.format)
      defer { logger.close() }
      do {
        let server = try await Server(store, logger: logger, telemetrySettings: telemetry)
        if let token = server.firstAdminToken {
          invocation.surroundings.writeError(
            "admin token, shown this once: \(token)\n")
        }
        try await server.runUntilStopped()
      } catch {
        logger.log(.error, "start_failed") { $0.member("reason", "\(error)") }
        throw error
      }
    } catch {
      throw .failed("serve: \(error)")
    }
    return CommandOutcome(.nothing)
  }
}
