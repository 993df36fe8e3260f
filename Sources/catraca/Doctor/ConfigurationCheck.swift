internal import Configuration
internal import Server
internal import Telemetry

/// Whether the files are valid, and every secret that they name is there.
struct ConfigurationCheck {
  /// Nil where the files have mistakes.
  let settings: Settings?
  let findings: [Finding]

  init(folder: String, _ surroundings: Surroundings) {
    func load(_ missing: MissingSecrets) throws(ConfigurationError) -> LoadedConfiguration {
      try ConfigurationLoader(
        folder: folder, files: surroundings.files, environment: surroundings.environment,
        missingSecrets: missing
      ).load()
    }
    do {
      let loaded = try load(.tolerated)
      settings = loaded.settings
      var missing: [Diagnostic] = []
      do {
        _ = try load(.refused)
      } catch {
        missing = error.diagnostics
      }
      // A missing secret is a warning to `check`, and a mistake to a server.
      let lacking = Set(missing.map(\.message))
      let warnings = loaded.warnings.filter { !lacking.contains($0.message) }
      findings =
        [ConfigurationCheck.summary(loaded.settings, in: folder)]
        + warnings.map {
          .warning(.configuration, $0.description, advice: "Edit that line, or leave it as it is.")
        } + ConfigurationCheck.secrets(missing)
    } catch {
      settings = nil
      findings = error.diagnostics.map {
        .problem(.configuration, $0.description, advice: "Edit that line as it says.")
      }
    }
  }

  private static func summary(_ settings: Settings, in folder: String) -> Finding {
    .ok(
      .configuration,
      "\(folder): valid, with \(CheckCommand.counted(settings.providers.count, "provider")) and "
        + CheckCommand.counted(settings.clients.clients.count, "client"))
  }

  private static func secrets(_ missing: [Diagnostic]) -> [Finding] {
    if missing.isEmpty { return [.ok(.secrets, "all that the files name are there")] }
    return missing.map {
      .problem(
        .secrets, $0.description,
        advice: "Give the server that secret, or delete what names it from the file.")
    }
  }
}

extension ConfigurationError {
  fileprivate var diagnostics: [Diagnostic] {
    switch self {
    case .mistakes(let mistakes): mistakes
    }
  }
}

/// Whether OpenTelemetry's variables can be understood, and where they send to.
enum TelemetryCheck {
  /// None where nothing is sent.
  static func findings(_ environment: [String: String]) -> [Finding] {
    do throws(TelemetryError) {
      let settings = try TelemetrySettings(environment: environment, version: Server.version)
      return (settings?.destinations ?? []).map { .ok(.telemetry, "\($0.signal) go to \($0.url)") }
    } catch {
      return [.problem(.telemetry, error.description, advice: "Mend the variable, or unset it.")]
    }
  }
}
