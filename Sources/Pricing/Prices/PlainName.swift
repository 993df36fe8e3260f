/// Checks that `name` fits on a line of a record.
/// - Throws: `PricingError.invalidName` if it is empty or has control characters.
func checkName(_ name: String) throws(PricingError) {
  let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  guard !name.isEmpty, isPlain else { throw .invalidName(name) }
}
