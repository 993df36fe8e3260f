internal import EventLoop

extension ValueFormat<SocketAddress> {
  /// `127.0.0.1:8080` or `[::1]:8080`; with port 0, the system chooses one.
  static var listenAddress: ValueFormat {
    .scalar("an IP address and port, such as 127.0.0.1:8080 or [::1]:8080") { text in
      guard let colon = text.lastIndex(of: ":"),
        wholeNumber(text[text.index(after: colon)...]) != nil
      else { return nil }
      return SocketAddress(text)
    }
  }
}

extension ValueFormat<AddressRange> {
  /// One address, or a range of addresses.
  static var addressRange: ValueFormat {
    .scalar(AddressRange.rule) { AddressRange($0) }
  }
}

extension ValueFormat<BaseURL> {
  /// An address to which the paths of endpoints are appended.
  static var baseURL: ValueFormat {
    .scalar(
      "an http or https address without user and query, such as https://api.openai.com/v1"
    ) { BaseURL($0) }
  }
}

extension ValueFormat<String> {
  /// A whole http or https address that is called unchanged.
  static var webAddress: ValueFormat {
    .scalar("an http or https address without user, such as https://example.com/hook") { text in
      let base = text.prefix { $0 != "?" }
      let query = text.dropFirst(base.count)
      let isVisible = query.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      return BaseURL(String(base)) != nil && isVisible && !query.contains("#") ? text : nil
    }
  }

  /// The name of a host, without a port.
  static var hostName: ValueFormat {
    .scalar("a host's name without port, such as catraca.internal") { text in
      let labels = text.split(separator: ".", omittingEmptySubsequences: false)
      let isName = labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy {
            isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
          }
      }
      return isName && text.utf8.count <= 253 ? text : nil
    }
  }

  /// The address of a mail server: `smtp://HOST:PORT` or `smtps://HOST:PORT`.
  static var mailServer: ValueFormat {
    .scalar("smtp://HOST:PORT or smtps://HOST:PORT without user") { text in
      for scheme in ["smtp", "smtps"] where text.hasPrefix("\(scheme)://") {
        let web = BaseURL("http\(text.dropFirst(scheme.count))")
        return web?.path == "" ? text : nil
      }
      return nil
    }
  }

  static var mailAddress: ValueFormat {
    .scalar("a mail address") { text in
      let parts = text.split(separator: "@", omittingEmptySubsequences: false)
      let isVisible = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
      let isWhole = parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      return isWhole && isVisible && text.utf8.count <= 254 ? text : nil
    }
  }
}
