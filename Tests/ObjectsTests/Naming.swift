import JSON
import Objects

/// The objects that a request names, as `kind id @place`.
func naming(_ references: [ObjectReference]) -> [String] {
  references.map { reference in
    let place = reference.place.map { " @\($0)" } ?? ""
    return "\(reference.kind.rawValue) \(reference.id)\(place)"
  }
}

func named(inBody body: String) throws -> [String] {
  naming(try ObjectReferences.inBody(JSONParser().parse(Array(body.utf8))))
}
