import JSON
import Objects

/// What a request names, as `kind id @place`, with `?` where nobody need own it.
func naming(_ references: [ObjectReference]) -> [String] {
  references.map { reference in
    let place = reference.place.map { " @\($0)" } ?? ""
    return "\(reference.kind.rawValue) \(reference.id)\(place)"
      + (reference.allowsUnknown ? "?" : "")
  }
}

func named(inBody body: String) throws -> [String] {
  naming(try ObjectReferences.inBody(JSONParser().parse(Array(body.utf8))))
}
