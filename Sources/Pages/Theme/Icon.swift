/// The icons: Catraca's mark, a turnstile seen from above, and a lock.
public enum Icon {
  public static let html: HTML = #"""
    <svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="2.5"/>\#
    <path d="M12 9.5V2.5M14.2 13.3l6 3.5M9.8 13.3l-6 3.5"/></svg>
    """#

  /// A lock, for things that can only be changed in a file.
  public static let lock: HTML = #"""
    <svg class="lock" viewBox="0 0 12 12" aria-hidden="true"><path d="M3 5.5h6v5H3z"/>\#
    <path d="M4.2 5.5V3.6a1.8 1.8 0 0 1 3.6 0v1.9" class="bow"/></svg>
    """#

  /// The mark as a file.
  public static let file: StaticString = #"""
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0b8a7d" \#
    stroke-width="2.4" stroke-linecap="round"><circle cx="12" cy="12" r="2.5"/>\#
    <path d="M12 9.5V2.5M14.2 13.3l6 3.5M9.8 13.3l-6 3.5"/></svg>
    """#
}
