internal import Server
internal import Telemetry

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
