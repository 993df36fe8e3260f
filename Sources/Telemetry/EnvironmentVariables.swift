internal import Configuration
internal import HTTP

/// Reads the variables that OpenTelemetry defines. An empty variable counts as missing.
struct EnvironmentVariables {
  private let variables: [String: String]

  /// One hour.
  private static let longestMilliseconds = 3_600_000
  private static let usualTimeout = Duration.seconds(10)
  private static let usualPatience = Duration.seconds(30)

  init(_ variables: [String: String]) {
    self.variables = variables
  }

  func text(_ name: String) -> String? {
    let text = variables[name]?.trimmingBlanks
    return text?.isEmpty == false ? text : nil
  }

  func count(_ name: String, upTo most: Int) throws(TelemetryError) -> Int? {
    guard let text = text(name) else { return nil }
    guard let count = Int(text), (1...most).contains(count) else {
      throw TelemetryError(
        variable: name, value: text, allowed: "a whole number from 1 to \(most)")
    }
    return count
  }

  func milliseconds(_ name: String?) throws(TelemetryError) -> Duration? {
    guard let name else { return nil }
    return try count(name, upTo: EnvironmentVariables.longestMilliseconds).map { .milliseconds($0) }
  }

  func sampler() throws(TelemetryError) -> Sampler {
    guard let name = text("OTEL_TRACES_SAMPLER") else { return .parentBasedAlwaysOn }
    let argument = text("OTEL_TRACES_SAMPLER_ARG") ?? "1"
    guard let ratio = Double(argument), Sampler.ratios.contains(ratio) else {
      throw TelemetryError(
        variable: "OTEL_TRACES_SAMPLER_ARG", value: argument, allowed: "a number from 0 to 1")
    }
    guard let sampler = Sampler(name: name, ratio: ratio) else {
      throw TelemetryError(
        variable: "OTEL_TRACES_SAMPLER", value: name,
        allowed: Sampler.names.joined(separator: ", "))
    }
    return sampler
  }

  /// Returns `service.name` and the other attributes of this process.
  func resource(version: String) throws(TelemetryError) -> [TelemetrySettings.Attribute] {
    var attributes = try pairs("OTEL_RESOURCE_ATTRIBUTES").map { pair in
      TelemetrySettings.Attribute(name: pair.name, value: pair.value)
    }
    if let name = text("OTEL_SERVICE_NAME") {
      attributes.removeAll { $0.name == "service.name" }
      attributes.append(TelemetrySettings.Attribute(name: "service.name", value: name))
    }
    for (name, value) in [("service.name", "catraca"), ("service.version", version)]
    where !attributes.contains(where: { $0.name == name }) {
      attributes.append(TelemetrySettings.Attribute(name: name, value: value))
    }
    return attributes
  }

  // MARK: Where to

  /// Returns the receiver of a signal; nil if the signal isn't exported.
  ///
  /// - Parameter patience: The variable with the time limit for a body, including its retries.
  func receiver(
    of signal: TelemetrySettings.Signal, patience: String
  ) throws(TelemetryError) -> TelemetrySettings.Receiver? {
    let exporterName = "OTEL_\(signal.rawValue.uppercased())_EXPORTER"
    let exporter = text(exporterName) ?? "otlp"
    guard exporter == "otlp" || exporter == "none" else {
      throw TelemetryError(variable: exporterName, value: exporter, allowed: "otlp, none")
    }
    guard exporter == "otlp", let url = try url(of: signal) else { return nil }
    try checkProtocol(of: signal)
    let timeout = firstSet("TIMEOUT", of: signal)
    let certificate = firstSet("CERTIFICATE", of: signal)
    return TelemetrySettings.Receiver(
      url: url, fields: try fields(of: signal),
      timeout: try milliseconds(timeout) ?? EnvironmentVariables.usualTimeout,
      patience: try milliseconds(patience) ?? EnvironmentVariables.usualPatience,
      certificateFile: certificate.flatMap(text))
  }

  /// Returns the names of an exporter's variables with this ending: the signal's own, and the
  /// common one.
  private func names(
    _ ending: String, of signal: TelemetrySettings.Signal
  ) -> (own: String, common: String) {
    let prefix = "OTEL_EXPORTER_OTLP"
    return ("\(prefix)_\(signal.rawValue.uppercased())_\(ending)", "\(prefix)_\(ending)")
  }

  /// Returns the variable that applies to a signal; nil if neither is set.
  private func firstSet(_ ending: String, of signal: TelemetrySettings.Signal) -> String? {
    let names = names(ending, of: signal)
    return [names.own, names.common].first { text($0) != nil }
  }

  /// Returns the address of a signal. A signal's own address is used unchanged; the common one gets
  /// the signal's path.
  private func url(of signal: TelemetrySettings.Signal) throws(TelemetryError) -> BaseURL? {
    let names = names("ENDPOINT", of: signal)
    if let url = try url(names.own) { return url }
    guard let url = try url(names.common) else { return nil }
    return BaseURL("\(url)/v1/\(signal.rawValue)")
  }

  private func url(_ name: String) throws(TelemetryError) -> BaseURL? {
    guard let text = text(name) else { return nil }
    guard let url = BaseURL(text) else {
      throw TelemetryError(
        variable: name, value: nil,
        allowed: "http://HOST:PORT/PATH or https://…, without a user, a query or a fragment")
    }
    return url
  }

  private func checkProtocol(of signal: TelemetrySettings.Signal) throws(TelemetryError) {
    guard let name = firstSet("PROTOCOL", of: signal), let text = text(name) else { return }
    guard text == "http/json" else {
      throw TelemetryError(variable: name, value: text, allowed: "http/json")
    }
  }

  /// Returns the fields of all signals, with the signal's own fields replacing fields of the same
  /// name.
  private func fields(
    of signal: TelemetrySettings.Signal
  ) throws(TelemetryError) -> HeaderFields {
    var fields = HeaderFields()
    let names = names("HEADERS", of: signal)
    for variable in [names.common, names.own] {
      for pair in try pairs(variable) {
        do {
          guard let name = FieldName(pair.name) else { throw HTTPError.invalidFieldName }
          try fields.set(name, pair.value)
        } catch {
          throw TelemetryError(
            variable: variable, value: nil, allowed: "names and values of header fields")
        }
      }
    }
    return fields
  }

  // MARK: Lists

  /// Parses `name=value,name=value` with percent-encoded values.
  private func pairs(
    _ name: String
  ) throws(TelemetryError) -> [(name: String, value: String)] {
    guard let text = text(name) else { return [] }
    var pairs: [(name: String, value: String)] = []
    for item in text.split(separator: ",") {
      let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, case let key = String(sides[0]).trimmingBlanks, !key.isEmpty,
        let value = PercentEncoding.decode(String(sides[1]).trimmingBlanks, plusIsSpace: false)
      else {
        throw TelemetryError(
          variable: name, value: nil, allowed: "NAME=VALUE,NAME=VALUE, values percent-encoded")
      }
      pairs.append((key, value))
    }
    return pairs
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    let start = drop { $0 == " " || $0 == "\t" }
    guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return String(start[...end])
  }
}
