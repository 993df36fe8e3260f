/// The settings of the widget, which clients embed in their own pages.
public struct WidgetSettings: Hashable, Sendable {
  /// The sites that may embed it in a frame, in the form of Content-Security-Policy.
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
  /// `*`, `self`, `none`, or the origin of a site. Its host may begin with `*.`.
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
