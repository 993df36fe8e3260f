/// What clients show of their figures on pages of their own.
public struct WidgetSettings: Hashable, Sendable {
  /// Which sites may show it in a frame, as a Content-Security-Policy has them.
  public var frameAncestors = ["*"]

  public init() {}
}

extension WidgetSettings: TabledSettings {
  static var rows: [SettingRow<WidgetSettings>] {
    [
      SettingRow(
        "frame_ancestors", \.frameAncestors, .list(of: .frameAncestor, count: 1...100),
        "Which sites may show the widget in a frame")
    ]
  }
}

extension ValueFormat<String> {
  /// `*`, `self`, `none`, or the origin of a site; its host may begin with `*.`.
  fileprivate static var frameAncestor: ValueFormat {
    .scalar("*, self, none, or a site such as https://example.com or https://*.example.com") {
      text in
      switch text {
      case "*": return text
      case "self", "none": return "'\(text)'"
      default:
        let parts = text.split(separator: "://*.", maxSplits: 1)
        let plain = parts.count == 2 ? "\(parts[0])://\(parts[1])" : text
        return BaseURL(plain)?.path == "" && !plain.hasSuffix("/") ? text : nil
      }
    }
  }
}
