extension Migration {
  /// Which charges a billing period's present terms have made, so that an audit can tell what each
  /// of them should be.
  static let chargesUnderTerms = Migration(
    number: 35, name: "charges under terms", isAdditive: true,
    sqlite: column("INTEGER"), postgresql: column("BIGINT"))

  private static func column(_ integer: String) -> String {
    """
    -- the client's last charge when the terms came into force; NULL: nobody knows
    ALTER TABLE billing_periods ADD COLUMN charges_before \(integer);
    """
  }
}
