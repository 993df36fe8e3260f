internal import JSON
internal import Time

/// The part of a request around the content of each signal in OTLP. It describes the process.
struct OTLPEnvelope: Sendable {
  /// The attributes of this process, for example `service.name`.
  let resource: [TelemetrySettings.Attribute]

  /// Returns the body of a request.
  ///
  /// - Parameters:
  ///   - signal: `Spans` or `Metrics`, the ending of the members' names.
  ///   - content: Writes the member with the spans or metrics.
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
  /// Nanoseconds since 1970 as text, which is the form of 64-bit integers in the JSON of protocol
  /// buffers.
  func unixNanoseconds(plus duration: Duration = .zero) -> String {
    let (seconds, attoseconds) = duration.components
    let nanoseconds =
      Int128(milliseconds) * 1_000_000 + Int128(seconds) * 1_000_000_000
      + Int128(attoseconds / 1_000_000_000)
    return "\(max(0, nanoseconds))"
  }
}
