/// Throws unless `name` can stand on a line of a record.
func checkName(_ name: String) throws(PricingError) {
  let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  guard !name.isEmpty, isPlain else { throw .invalidName(name) }
}
