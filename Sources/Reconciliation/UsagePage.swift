internal import JSON
internal import Money
internal import Time

/// One page of a provider's report, as OpenAI's API of its organization has it: days, each with
/// results.
struct UsagePage {
  /// One result: what was used of a model, or what a line of the bill costs.
  struct Result: Hashable {
    let day: CivilDate
    let model: String?
    /// The item of a cost, such as `gpt-4o-mini-2024-07-18, input`.
    let lineItem: String?
    let counts: ReconciledCounts
  }

  var results: [Result] = []
  /// The cursor of the next page; nil on the last page.
  var next: String?

  /// Why a page can't be read.
  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  private static let secondsPerDay: Int64 = 86_400

  /// Reads a page. It passes over unknown members, and throws for wrong ones.
  ///
  /// - Parameter members: what of a result is counted.
  init(
    _ body: [UInt8], _ members: [ReportPart.Member] = ReportPart.membersOfModels
  ) throws(Mistake) {
    guard let root = try? JSONParser().parse(body), let page = JSONLocatedObject(root: root),
      let days = page.member("data"), days.value.kind == .array
    else { throw Mistake(description: "the answer is no page of days") }
    var results: [Result] = []
    var mistake: Mistake?
    days.forEachObject { bucket in
      guard let day = UsagePage.day(bucket), let found = bucket.member("results"),
        found.value.kind == .array
      else {
        mistake = Mistake(description: "a day has no start_time or results")
        return
      }
      found.forEachObject { result in
        do throws(Mistake) {
          results.append(try UsagePage.result(result, on: day, members, body))
        } catch {
          mistake = error
        }
      }
    }
    if let mistake { throw mistake }
    self.results = results
    if root["has_more"]?.boolean == true {
      guard let cursor = root["next_page"]?.string else {
        throw Mistake(description: "the page says has_more, but not next_page")
      }
      next = cursor
    }
  }

  private static func day(_ bucket: JSONLocatedObject) -> CivilDate? {
    guard let seconds = bucket.member("start_time")?.value.integer,
      (0...4_102_444_800).contains(seconds)
    else { return nil }
    return CivilDate(daysSinceEpoch: Int(seconds / secondsPerDay))
  }

  private static func result(
    _ result: JSONLocatedObject, on day: CivilDate, _ members: [ReportPart.Member],
    _ body: [UInt8]
  ) throws(Mistake) -> Result {
    var counts: ReconciledCounts = [:]
    for member in members {
      guard let value = result.value[member.key], !value.isNull else { continue }
      guard let count = value.integer, count >= 0 else {
        throw Mistake(description: "\(member.key) is no count")
      }
      counts[member.quantity] = count
    }
    if let amount = result.member("amount")?.object {
      counts[.cost] = try cost(amount, body)
    }
    return Result(
      day: day, model: result.member("model")?.value.string,
      lineItem: result.member("line_item")?.value.string, counts: counts)
  }

  /// The digits as they stand in the text: a parser's number may be a binary one.
  private static func cost(
    _ amount: JSONLocatedObject, _ body: [UInt8]
  ) throws(Mistake) -> Int64 {
    guard amount.member("currency")?.value.string?.lowercased() == "usd",
      let value = amount.member("value")
    else { throw Mistake(description: "a cost is not in US dollars") }
    let text = value.value.string ?? String(decoding: body[value.valueRange], as: UTF8.self)
    guard let money = Money(roundingNumber: text, currency: .usd) else {
      throw Mistake(description: "the amount of a cost is no number")
    }
    return money.nanoUnits
  }
}
