internal import JSON

/// The description of the API for machines (OpenAPI 3.1), written from the routes themselves.
enum OpenAPIDocument {
  static var route: Route {
    Route(.get, "/api/openapi.json", .anyone, "Describes this API (OpenAPI 3.1)") { _ in
      Answer { write(Routes.admin, to: &$0) }
    }
  }

  static func write(_ routes: [Route], to writer: inout JSONWriter) {
    writer.object { document in
      document.member("openapi", "3.1.0")
      document.member("info") { info in
        info.object { info in
          info.member("title", "Catraca admin API")
          info.member("version", "1")
        }
      }
      document.member("paths") { paths in
        paths.object { paths in
          for path in pathsInOrder(of: routes) {
            paths.member(path) { operations in
              operations.object { operations in
                for route in routes where route.path == path {
                  operations.member(route.method.rawValue.lowercased()) { write(route, to: &$0) }
                }
              }
            }
          }
        }
      }
      document.member("components") { writeComponents(to: &$0) }
    }
  }

  private static func pathsInOrder(of routes: [Route]) -> [String] {
    var seen: Set<String> = []
    return routes.map(\.path).filter { seen.insert($0).inserted }
  }

  private static func write(_ route: Route, to writer: inout JSONWriter) {
    writer.object { operation in
      operation.member("summary", route.summary)
      operation.member("parameters") { parameters in
        parameters.array { parameters in
          for name in route.parameterNames {
            write(name, isInPath: true, meaning: nil, to: &parameters)
          }
          for parameter in route.query {
            write(parameter.name, isInPath: false, meaning: parameter.meaning, to: &parameters)
          }
        }
      }
      if route.method == .post || route.method == .patch {
        operation.member("requestBody") { writeContent("Object", to: &$0) }
      }
      operation.member("responses") { writeResponses(to: route, &$0) }
      if case .anyone = route.access { return }
      operation.member("security") { security in
        security.array { $0.object { $0.member("token") { $0.array { _ in } } } }
      }
    }
  }

  private static func write(
    _ name: String, isInPath: Bool, meaning: String?, to writer: inout JSONWriter
  ) {
    writer.object { parameter in
      parameter.member("name", name)
      parameter.member("in", isInPath ? "path" : "query")
      parameter.member("required", isInPath)
      if let meaning { parameter.member("description", meaning) }
      parameter.member("schema") { $0.object { $0.member("type", "string") } }
    }
  }

  private static let errors: [Int64] = [
    400, 401, 403, 404, 405, 408, 409, 413, 429, 431, 503,
  ]

  private static func writeResponses(to route: Route, _ writer: inout JSONWriter) {
    writer.object { responses in
      switch route.method {
      case .get, .patch: writeResponse(200, "Object", to: &responses)
      case .post:
        writeResponse(200, "Object", to: &responses)
        writeResponse(201, "Object", to: &responses)
      case .delete: writeResponse(204, nil, to: &responses)
      }
      for status in errors { writeResponse(status, "Error", to: &responses) }
    }
  }

  private static func writeResponse(
    _ status: Int64, _ schema: String?, to responses: inout JSONWriter
  ) {
    responses.member("\(status)") { response in
      response.object { response in
        response.member("description", status < 300 ? "Done" : "Not done; the body says why")
        guard let schema else { return }
        response.member("content") { writeMediaType(schema, to: &$0) }
      }
    }
  }

  private static func writeContent(_ schema: String, to writer: inout JSONWriter) {
    writer.object { $0.member("content") { writeMediaType(schema, to: &$0) } }
  }

  private static func writeMediaType(_ schema: String, to writer: inout JSONWriter) {
    writer.object { types in
      types.member("application/json") { type in
        type.object { type in
          type.member("schema") { reference in
            reference.object { $0.member("$ref", "#/components/schemas/\(schema)") }
          }
        }
      }
    }
  }

  /// Constant: errors in OpenAI's shape, and how a token is sent.
  private static func writeComponents(to writer: inout JSONWriter) {
    writer.raw(
      """
      {"securitySchemes":{"token":{"type":"http","scheme":"bearer"}},"schemas":{\
      "Object":{"type":"object"},\
      "Error":{"type":"object","required":["error"],"properties":{"error":{"type":"object",\
      "required":["message","type","param","code"],"properties":{"message":{"type":"string"},\
      "type":{"type":"string"},"param":{"type":["string","null"]},"code":{"type":"string"}}}}}}}
      """)
  }
}

extension Route {
  /// The names in braces, in their order.
  fileprivate var parameterNames: [String] {
    path.split(separator: "/").filter { $0.first == "{" }.map {
      String($0.dropFirst().dropLast())
    }
  }
}
