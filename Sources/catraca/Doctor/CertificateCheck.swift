internal import Configuration
internal import Pricing
internal import TLS
internal import Time

/// Whether the listeners' certificates can be used, and for how long.
enum CertificateCheck {
  /// The days that are enough to renew a certificate.
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

/// Whether each provider has prices, and how old they are.
enum PricesCheck {
  /// Providers change prices a few times a year.
  static let oldestDays = 90

  static func findings(_ settings: Settings, today now: Timestamp) -> [Finding] {
    do {
      _ = try settings.priceBook()
    } catch {
      return [
        .problem(.prices, error.lines.joined(separator: "; "), advice: "Mend the pricing files.")
      ]
    }
    let today = TimeZoneRules.utc.civilDate(of: now)
    return settings.providers.map { provider in
      guard let prices = settings.prices.first(where: { $0.provider == provider.name }) else {
        return .problem(
          .prices, "\(provider.name): no pricing file, so that each of its models is refused",
          advice: "Add its pricing file to the list pricing in catraca.yaml.")
      }
      return age(
        of: prices.asOf, today: today,
        subject: "\(prices.file): \(prices.models.count) models as of \(prices.asOf)",
        source: prices.source)
    }
  }

  static func age(
    of date: CivilDate, today: CivilDate, subject: String, source: String
  ) -> Finding {
    let days = today.daysSinceEpoch - date.daysSinceEpoch
    if days < 0 {
      return .warning(
        .prices, "\(subject), which is to come", advice: "Set as_of to the day of the prices.")
    }
    if days > oldestDays {
      return .warning(
        .prices, "\(subject), \(days) days ago",
        advice: "Compare the prices with \(source), and set as_of to that day.")
    }
    return .ok(.prices, subject)
  }
}
