internal import Configuration
internal import TLS
internal import Time

/// Whether the listeners' certificates can be used, and for how long.
enum CertificateCheck {
  /// So much time to renew one.
  static let enoughDays = 14
  private static let secondsPerDay = 86_400

  static func findings(_ settings: Settings, at now: Timestamp) -> [Finding] {
    [("proxy", settings.proxy.tls), ("admin", settings.admin.tls)].compactMap { listener, files in
      files.map { finding($0, of: listener, at: now) }
    }
  }

  private static func finding(
    _ files: TLSFiles, of listener: String, at now: Timestamp
  ) -> Finding {
    do throws(TLSError) {
      let context = try TLSContext(
        certificateFile: files.certificate, keyFile: files.key,
        clientAuthoritiesFile: files.clientAuthorities)
      return validity(
        seconds: context.secondsValid(afterUnixTime: Int(now.milliseconds / 1_000)),
        subject: "\(listener): \(files.certificate)")
    } catch {
      return .problem(
        .certificate, "\(listener): \(error)",
        advice: "Name readable PEM files that belong together in \(listener).tls.")
    }
  }

  static func validity(seconds: Int?, subject: String) -> Finding {
    guard let seconds else { return .ok(.certificate, subject) }
    guard seconds > 0 else {
      return .problem(
        .certificate, "\(subject): has expired", advice: "Renew it, and send the server SIGHUP.")
    }
    let text = "\(subject): valid for \(seconds / secondsPerDay) days"
    guard seconds / secondsPerDay < enoughDays else { return .ok(.certificate, text) }
    return .warning(.certificate, text, advice: "Renew it, and send the server SIGHUP.")
  }
}
