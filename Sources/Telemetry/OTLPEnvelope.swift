internal import JSON
internal import Time

/// What surrounds the content of each signal in OTLP: which process says it.
struct OTLPEnvelope: Sendable {
  /// What describes this process, such as `service.name`.
  let resource: [TelemetrySettings.Attribute]

  /// The body of a request.
  ///
  /// - Parameters:
  ///   - signal: `Spans` or `Metrics`, as the names of its members end.
  ///   - content: writes the member with the spans or metrics.
  func body(_ signal: String, _ content: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { root in
      root.member("resource\(signal)") { list in
        list.array { $0.object { write(signal, content, to: &$0) } }
      }
    }
    return writer.bytes
  }

  private func write(
    _ signal: String, _ content: (inout JSONWriter) -> Void, to writer: inout JSONWriter
  ) {
    writer.member("resource") { writer in
      writer.object { resource in
        resource.member("attributes") { list in
          list.array { list in
            for attribute in self.resource {
              list.attribute(attribute.name, text: attribute.value)
            }
          }
        }
      }
    }
    writer.member("scope\(signal)") { list in
      list.array { list in
        list.object { scope in
          scope.member("scope") { $0.object { $0.member("name", "catraca") } }
          content(&scope)
        }
      }
    }
  }
}

extension Timestamp {
  /// Since 1970, as text: so the JSON of protocol buffers has 64 bits.
  func unixNanoseconds(plus duration: Duration = .zero) -> String {
    let (seconds, attoseconds) = duration.components
    let nanoseconds =
      Int128(milliseconds) * 1_000_000 + Int128(seconds) * 1_000_000_000
      + Int128(attoseconds / 1_000_000_000)
    return "\(max(0, nanoseconds))"
  }
}
