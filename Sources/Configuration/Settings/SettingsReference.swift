/// The reference of a setting in `catraca.yaml` with a default. It comes from the tables that also
/// read the setting.
public struct SettingReference: Hashable, Sendable {
  /// The name, for example `limits.idle`.
  public let name: String
  public let allowed: String
  public let defaultText: String
  /// Whether a change applies at once. Otherwise it needs a restart.
  public let isReloadable: Bool
  public let meaning: String

  /// Every setting, in the order of the documentation.
  public static var all: [SettingReference] {
    ProxySettings.references("proxy") + AdminSettings.references("admin")
      + LedgerSettings.references("ledger") + CurrencySettings.references("currency")
      + AdmissionSettings.references("budgets") + MeteringSettings.references("metering")
      + Limits.references("limits") + LogSettings.references("log")
      + AlertSettings.references("alerts") + WidgetSettings.references("widget")
  }

  /// The settings as a Markdown table.
  public static var markdown: String {
    let head = """
      | setting | allowed | default | in force | meaning |
      | --- | --- | --- | --- | --- |

      """
    return head
      + all.map { setting in
        let moment = setting.isReloadable ? "at once" : "after a restart"
        return "| `\(setting.name)` | \(setting.allowed) | `\(setting.defaultText)` "
          + "| \(moment) | \(setting.meaning) |\n"
      }.joined()
  }
}

extension TabledSettings {
  fileprivate static func references(_ section: String) -> [SettingReference] {
    let defaults = Self()
    return rows.map { row in
      SettingReference(
        name: "\(section).\(row.key)", allowed: row.allowed, defaultText: row.text(defaults),
        isReloadable: row.isReloadable, meaning: row.meaning)
    }
  }
}
