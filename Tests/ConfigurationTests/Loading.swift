import Configuration
import InMemory

/// The least that `catraca.yaml` must say.
let leastMain = "providers: { openai: { base_url: https://api.openai.com/v1 } }\n"

/// Loads `catraca.yaml` (in the folder `c`) and other files that it names.
func load(
  _ main: String, _ others: [String: String] = [:], environment: [String: String] = [:],
  missingSecrets: MissingSecrets = .refused
) throws(ConfigurationError) -> LoadedConfiguration {
  try loader(
    MemoryFiles(files(main, others)), environment: environment, missingSecrets: missingSecrets
  ).load()
}

func loader(
  _ files: MemoryFiles, environment: [String: String] = [:],
  missingSecrets: MissingSecrets = .refused
) -> ConfigurationLoader {
  ConfigurationLoader(
    folder: "c", files: files, environment: environment, missingSecrets: missingSecrets)
}

func files(_ main: String, _ others: [String: String] = [:]) -> [String: String] {
  var files = ["c/catraca.yaml": main]
  for (path, text) in others { files["c/\(path)"] = text }
  return files
}

/// The lines that `catraca check` would print; none when all is well.
func mistakes(
  _ main: String, _ others: [String: String] = [:], environment: [String: String] = [:]
) -> [String] {
  do throws(ConfigurationError) {
    _ = try load(main, others, environment: environment)
    return []
  } catch {
    guard case .mistakes(let mistakes) = error else { return [] }
    return mistakes.map(\.description)
  }
}

/// Loads a `clients.yaml` next to the least main file.
func loadClients(
  _ clients: String, rates: String = "currency: { per_usd: { BRL: \"5.40\" } }"
) throws(ConfigurationError) -> ClientRegistry {
  try load(leastMain + rates, ["clients.yaml": clients]).settings.clients
}

/// The mistakes of a `clients.yaml`, without its path.
func clientMistakes(
  _ clients: String, rates: String = "currency: { per_usd: { BRL: \"5.40\" } }"
) -> [String] {
  mistakes(leastMain + rates, ["clients.yaml": clients]).map { line in
    line.hasPrefix("c/clients.yaml:") ? String(line.dropFirst("c/clients.yaml:".count)) : line
  }
}

/// A digest that differs for each `seed`.
func digestText(_ seed: Int) -> String {
  let digits = String(seed, radix: 16)
  return String(repeating: "0", count: 64 - digits.count) + digits
}
