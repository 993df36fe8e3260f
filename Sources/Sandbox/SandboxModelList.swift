internal import JSON

/// The answers of `GET /models` and `GET /models/ID`.
enum SandboxModelList {
  private static let created: Int64 = 1_686_935_002

  static func all(of dialect: SandboxProviderDialect) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { list in
      list.member("object", "list")
      list.member("data") { data in
        data.array { array in
          for model in dialect.models { write(model, dialect, to: &array) }
        }
      }
    }
    return writer.bytes
  }

  static func one(_ id: String, of dialect: SandboxProviderDialect) throws(ProviderError) -> [UInt8]
  {
    guard dialect.models.contains(id) else { throw .unknownModel(id) }
    var writer = JSONWriter()
    write(id, dialect, to: &writer)
    return writer.bytes
  }

  private static func write(
    _ model: String, _ dialect: SandboxProviderDialect, to writer: inout JSONWriter
  ) {
    writer.object {
      $0.member("id", model)
      $0.member("object", "model")
      $0.member("created", created)
      $0.member("owned_by", dialect.owner)
    }
  }
}
