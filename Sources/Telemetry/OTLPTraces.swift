internal import JSON

/// Writes spans in OTLP's JSON.
enum OTLPTraces {
  /// `SPAN_KIND_SERVER`: an app is the caller.
  private static let server: Int64 = 2
  /// `STATUS_CODE_ERROR`.
  private static let error: Int64 = 2
  /// Flags in addition to W3C's: whether it is known if the parent is in another process, and
  /// whether it is.
  private static let knowsRemote: Int64 = 0x100
  private static let isRemote: Int64 = 0x200

  static func body(_ spans: [RequestSpan], in envelope: OTLPEnvelope) -> [UInt8] {
    envelope.body("Spans") { scope in
      scope.member("spans") { list in
        list.array { list in
          for span in spans { write(span, to: &list) }
        }
      }
    }
  }

  private static func write(_ span: RequestSpan, to list: inout JSONWriter) {
    list.object { object in
      object.member("traceId", span.context.traceText)
      object.member("spanId", span.context.spanText)
      if let parent = span.parentID {
        object.member("parentSpanId", TraceContext.hexadecimal(parent))
      }
      if let state = span.traceState { object.member("traceState", state.text) }
      let origin = span.parentID == nil ? knowsRemote : knowsRemote | isRemote
      object.member("flags", origin | (span.context.isSampled ? 1 : 0))
      object.member("name", span.name)
      object.member("kind", server)
      object.member("startTimeUnixNano", span.start.unixNanoseconds())
      object.member("endTimeUnixNano", span.start.unixNanoseconds(plus: span.duration))
      object.member("attributes") { list in list.array { span.writeAttributes(to: &$0) } }
      if span.failure != nil {
        object.member("status") { $0.object { $0.member("code", error) } }
      }
    }
  }
}
