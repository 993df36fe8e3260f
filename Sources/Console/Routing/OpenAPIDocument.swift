internal import Configuration
internal import JSON

/// The OpenAPI 3.1 document of the API, made from the routes.
enum OpenAPIDocument {
  static var route: APIRoute {
    APIRoute(
      .get, "/api/openapi.json", .anyone, "Describes this API (OpenAPI 3.1)",
      answers: .ok(.freeObject)
    ) { call in
      let settings = call.settings.admin
      return Answer { write(Routes.admin, settings, to: &$0) }
    }
  }

  private static func write(
    _ routes: [APIRoute], _ settings: AdminSettings, to writer: inout JSONWriter
  ) {
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
                  operations.member(route.method.rawValue.lowercased()) {
                    write(route, settings, to: &$0)
                  }
                }
              }
            }
          }
        }
      }
      document.member("components") { writeComponents(of: routes, to: &$0) }
    }
  }

  private static func pathsInOrder(of routes: [APIRoute]) -> [String] {
    var seen: Set<String> = []
    return routes.map(\.path).filter { seen.insert($0).inserted }
  }

  private static func write(
    _ route: APIRoute, _ settings: AdminSettings, to writer: inout JSONWriter
  ) {
    writer.object { operation in
      operation.member("summary", route.summary)
      operation.member("parameters") { parameters in
        parameters.array { writeParameters(of: route, to: &$0) }
      }
      if route.takesBody { operation.member("requestBody") { writeBody(of: route, to: &$0) } }
      operation.member("responses") { writeResponses(to: route, &$0) }
      if case .anyone = route.access(under: settings) { return }
      operation.member("security") { security in
        security.array { $0.object { $0.member("token") { $0.array { _ in } } } }
      }
    }
  }

  // MARK: Requests

  private enum Place: String {
    case path, query, header
  }

  private static func writeParameters(of route: APIRoute, to parameters: inout JSONWriter) {
    for name in route.parameterNames {
      write(name, in: .path, pathSegment, meaning: nil, to: &parameters)
    }
    for parameter in route.query {
      write(
        parameter.name, in: .query, parameter.schema, meaning: parameter.meaning, to: &parameters)
    }
    if route.method == .post {
      write(
        "Idempotency-Key", in: .header, idempotencyKey,
        meaning: "by which a repetition is answered as the first call was", to: &parameters)
    }
  }

  private static let pathSegment = JSONSchema.text(pattern: "^[^/]+$")
  private static let idempotencyKey = JSONSchema.text(pattern: "^[!-~]{1,255}$")

  private static func write(
    _ name: String, in place: Place, _ schema: JSONSchema, meaning: String?,
    to writer: inout JSONWriter
  ) {
    writer.object { parameter in
      parameter.member("name", name)
      parameter.member("in", place.rawValue)
      parameter.member("required", place == .path)
      if let meaning { parameter.member("description", meaning) }
      parameter.member("schema") { schema.write(to: &$0) }
    }
  }

  private static func writeBody(of route: APIRoute, to writer: inout JSONWriter) {
    writer.object { body in
      body.member("required", route.body.all.contains(where: \.isRequired))
      body.member("content") {
        writeContent(route.takesAnyObject ? .freeObject : .object(route.body), to: &$0)
      }
    }
  }

  // MARK: Answers

  private static let errorStatuses = [400, 401, 403, 404, 405, 408, 409, 413, 429, 431, 503, 504]

  private static func writeResponses(to route: APIRoute, _ writer: inout JSONWriter) {
    writer.object { responses in
      for answer in route.success.answers {
        writeResponse(
          answer.status, "Done", answer.schema, textTypes: route.success.textTypes, to: &responses)
      }
      let error = APIError.schema(saysSuccess: route.path.hasPrefix(TokenBillingCalls.path))
      for status in errorStatuses {
        writeResponse(status, "Not done; the body says why", error, to: &responses)
      }
    }
  }

  private static func writeResponse(
    _ status: Int, _ description: String, _ schema: JSONSchema?, textTypes: [String] = [],
    to responses: inout JSONWriter
  ) {
    responses.member("\(status)") { response in
      response.object { response in
        response.member("description", description)
        guard schema != nil || !textTypes.isEmpty else { return }
        response.member("content") { writeContent(schema, textTypes: textTypes, to: &$0) }
      }
    }
  }

  private static func writeContent(
    _ schema: JSONSchema?, textTypes: [String] = [], to writer: inout JSONWriter
  ) {
    writer.object { types in
      let json = schema.map { [("application/json", $0)] } ?? []
      let all = json + textTypes.map { ($0, JSONSchema.anyText) }
      for (name, schema) in all {
        types.member(name) { type in
          type.object { type in type.member("schema") { schema.write(to: &$0) } }
        }
      }
    }
  }

  // MARK: What stands there once

  private static func writeComponents(of routes: [APIRoute], to writer: inout JSONWriter) {
    writer.object { components in
      components.member("securitySchemes") { schemes in
        schemes.raw(#"{"token":{"type":"http","scheme":"bearer"}}"#)
      }
      components.member("schemas") { schemas in
        schemas.object { schemas in
          var written: Set<String> = []
          for (name, schema) in namedSchemas(of: routes) where written.insert(name).inserted {
            schemas.member(name) { schema.writeDefinition(to: &$0) }
          }
        }
      }
    }
  }

  private static func namedSchemas(of routes: [APIRoute]) -> [(name: String, schema: JSONSchema)] {
    let answers = routes.flatMap(\.success.answers).compactMap(\.schema)
    let errors = [APIError.schema(saysSuccess: false), APIError.schema(saysSuccess: true)]
    return (answers + errors).flatMap(\.namedSchemas)
  }
}

extension APIRoute {
  fileprivate var takesBody: Bool { method == .post || method == .patch }

  /// The names of the parameters in the path, in order.
  fileprivate var parameterNames: [String] {
    path.split(separator: "/").filter { $0.first == "{" }.map {
      String($0.dropFirst().dropLast())
    }
  }
}
