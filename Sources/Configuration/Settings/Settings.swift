public import Money
public import Pricing

/// The contents of the configuration folder, validated and immutable.
public struct Settings: Sendable {
  public let proxy: ProxySettings
  public let admin: AdminSettings
  /// The providers in the order of the file; at least one.
  public let providers: [Provider]
  /// One entry for each pricing file, as `catraca.yaml` lists them.
  public let prices: [ProviderPrices]
  public let clients: ClientRegistry
  public let ledger: LedgerSettings
  public let rates: ExchangeRates
  public let admission: AdmissionSettings
  public let metering: MeteringSettings
  public let limits: Limits
  public let log: LogSettings
  public let alerts: AlertSettings
  public let widget: WidgetSettings
  public let payments: PaymentSettings
}

extension Settings {
  /// The settings whose change needs a restart, by name, as text.
  var restartOnlyValues: [String: String] {
    let values =
      proxy.restartOnlyValues(under: "proxy") + admin.restartOnlyValues(under: "admin")
      + ledger.restartOnlyValues(under: "ledger") + log.restartOnlyValues(under: "log")
    return Dictionary(uniqueKeysWithValues: values)
  }
}
