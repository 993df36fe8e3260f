// swift-tools-version: 6.2

import PackageDescription

/// The settings of every Swift target: Swift 6 mode, nothing implicit, no warnings.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
  // A release doesn't look at run time whether a property is in use already, which a request would
  // pay for 150 times. Debug builds look, and those of all tests.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// For the modules that speak to C: every unsafe expression is marked as such.
let strictWithC = strict + [.strictMemorySafety()]

/// The library that takes the place of the system's allocator; a sanitizer brings its own.
let allocator: [Target.Dependency] =
  Context.environment["CATRACA_SANITIZED"] == nil ? ["CJemalloc"] : []

/// Swift's own libraries inside the program, whose calls are direct then: they are a fifth of what a
/// request costs. And what runs it needs no toolchain.
let selfContained: [LinkerSetting] = [
  .unsafeFlags(["-static-stdlib"], .when(configuration: .release))
]

/// A well-kept C library of the system, found through pkg-config.
func system(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func module(
  _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict
) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], cases: Bool = false) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/\(name)",
    exclude: cases ? ["Cases"] : [], swiftSettings: strict)
}

let package = Package(
  name: "catraca",
  products: [.executable(name: "catraca", targets: ["catraca"])],
  targets: [
    // The C libraries, each with one importer.
    .target(name: "CLinux", path: "Sources/CLinux"),
    .target(
      name: "CSimdjson", path: "Sources/CSimdjson",
      linkerSettings: [.linkedLibrary("simdjson")]),
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CPostgres", pkgConfig: "libpq", apt: "libpq-dev"),
    system("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
    system("CGLib", pkgConfig: "glib-2.0", apt: "libglib2.0-dev"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    system("CBrotli", pkgConfig: "libbrotlidec", apt: "libbrotli-dev"),
    system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
    system("CJemalloc", pkgConfig: "jemalloc", apt: "libjemalloc-dev"),

    // The house, from the ground up: an arrow may only point to an earlier line.
    module("Time", ["CGLib"], strictWithC),
    module("Money", []),
    module("Metrics", ["Money"]),
    module("JSON", ["CSimdjson"], strictWithC),
    module("EventLoop", ["CLinux"], strictWithC),
    module("Logging", ["EventLoop", "JSON", "Time"]),
    module("HTTP", []),
    module("Audio", []),
    module("Compression", ["CZlib", "CBrotli", "CZstd"], strictWithC),
    module("Objects", ["HTTP", "JSON"]),
    module("TLS", ["COpenSSL"], strictWithC),
    module("HTTPServer", ["EventLoop", "HTTP", "TLS", "Logging", "JSON"], strictWithC),
    module("Upstream", ["EventLoop", "HTTP", "CCurl"], strictWithC),
    module("Pricing", ["Money", "Time"]),
    module("Metering", ["HTTP", "Audio", "JSON", "Objects", "Pricing", "Money"]),
    module("Budgets", ["Money", "Time"]),
    module(
      "Ledger",
      [
        "Budgets", "Objects", "Pricing", "Metrics", "Money", "Time", "EventLoop", "JSON",
        "CSQLite", "CPostgres",
      ],
      strictWithC),
    module(
      "Configuration",
      [
        "Objects", "Pricing", "Budgets", "Money", "Time", "EventLoop", "Logging", "HTTP", "TLS",
        "CYAML",
      ],
      strictWithC),
    module(
      "Alerts",
      [
        "EventLoop", "Logging", "HTTP", "TLS", "Upstream", "Money", "Time", "JSON", "Budgets",
        "Ledger", "Configuration",
      ]),
    module(
      "Billing",
      [
        "EventLoop", "Logging", "HTTP", "TLS", "Upstream", "Money", "Time", "JSON", "Pricing",
        "Budgets", "Ledger", "Configuration",
      ]),
    module("Reconciliation", ["JSON", "Money", "Time", "Pricing", "Ledger"]),
    module(
      "Telemetry",
      [
        "EventLoop", "Logging", "Metrics", "HTTP", "Upstream", "Money", "Time", "JSON", "Pricing",
        "Configuration",
      ]),
    module(
      "Gateway",
      [
        "EventLoop", "Logging", "HTTP", "TLS", "HTTPServer", "Upstream", "Money", "Time", "JSON",
        "Objects", "Pricing", "Metering", "Budgets", "Ledger", "Configuration", "Telemetry",
        "Compression",
      ]),
    module("Pages", ["Money", "Time"]),
    module(
      "Console",
      [
        "EventLoop", "Logging", "Metrics", "HTTP", "TLS", "HTTPServer", "Money", "Time", "JSON",
        "Objects", "Pricing", "Budgets", "Ledger", "Configuration", "Alerts", "Billing", "Pages",
      ]),
    module("Sandbox", ["EventLoop", "Logging", "HTTP", "Audio", "TLS", "HTTPServer", "JSON"]),
    module(
      "Server",
      [
        "EventLoop", "Logging", "TLS", "HTTPServer", "Money", "Time", "JSON", "Pricing", "Budgets",
        "Ledger", "Configuration", "Alerts", "Billing", "Telemetry", "Gateway", "Console",
      ]),
    .executableTarget(
      name: "catraca",
      dependencies: [
        "EventLoop", "Logging", "HTTP", "TLS", "HTTPServer", "Upstream", "Money", "Time", "JSON",
        "Objects", "Pricing", "Metering", "Budgets", "Ledger", "Configuration", "Alerts",
        "Reconciliation", "Telemetry", "Gateway", "Console", "Sandbox", "Server",
      ] + allocator,
      path: "Sources/catraca", swiftSettings: strict, linkerSettings: selfContained),

    .target(name: "Randomness", path: "Tests/Randomness", swiftSettings: strict),
    .target(
      name: "InMemory",
      dependencies: ["Configuration", "EventLoop", "HTTP", "HTTPServer", "Logging", "Upstream"],
      path: "Tests/InMemory", swiftSettings: strict),
    .target(name: "FaultyDisk", dependencies: ["CSQLite"], path: "Tests/FaultyDisk"),
    .target(
      name: "Simulation",
      dependencies: [
        "Ledger", "Objects", "Budgets", "Pricing", "Money", "Time", "EventLoop", "FaultyDisk",
        "Randomness",
      ],
      path: "Tests/Simulation", swiftSettings: strict),
    .executableTarget(
      name: "simulate", dependencies: ["Simulation"], path: "Tests/Simulate",
      swiftSettings: strict),
    tests("SimulationTests", ["Simulation", "Ledger"]),
    .target(name: "LibFuzzer", path: "Tests/LibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "HTTP", "JSON", "Audio", "Compression", "Objects", "Metering", "Pricing", "Configuration",
        "LibFuzzer",
      ],
      path: "Tests/Fuzz", exclude: ["fuzz.py", "seeds.py"], swiftSettings: strict),
    tests("TimeTests", ["Time"]),
    tests("MoneyTests", ["Money", "Randomness"]),
    tests("MetricsTests", ["Metrics"]),
    tests("JSONTests", ["JSON", "Randomness"]),
    tests("EventLoopTests", ["EventLoop"]),
    tests("LoggingTests", ["Logging", "EventLoop", "JSON"]),
    tests("HTTPTests", ["HTTP"]),
    tests("AudioTests", ["Audio"]),
    tests("CompressionTests", ["Compression"]),
    tests("ObjectsTests", ["Objects", "HTTP", "JSON"]),
    tests("HTTPServerTests", ["HTTPServer", "EventLoop", "HTTP"]),
    tests("TLSTests", ["TLS"]),
    tests("UpstreamTests", ["Upstream", "EventLoop", "HTTP"]),
    tests("PricingTests", ["Pricing", "Configuration", "Money", "Time", "Randomness"]),
    tests(
      "MeteringTests", ["Objects", "Metering", "HTTP", "JSON", "Pricing", "Money"], cases: true),
    tests("BudgetsTests", ["Budgets", "Money", "Time", "Randomness"]),
    tests(
      "LedgerTests",
      [
        "Ledger", "Budgets", "Objects", "Pricing", "Metrics", "Money", "Time", "EventLoop", "JSON",
        "Randomness",
      ]),
    tests(
      "ConfigurationTests",
      ["Configuration", "InMemory", "Pricing", "Budgets", "Money", "Time", "EventLoop", "Logging"]),
    tests(
      "AlertsTests",
      ["Alerts", "Budgets", "Configuration", "HTTP", "Ledger", "Money", "Time", "Upstream"]),
    tests("PagesTests", ["Pages", "Money", "Time"]),
    tests(
      "ConsoleTests",
      [
        "Console", "TLS", "HTTP", "HTTPServer", "InMemory", "JSON", "Logging", "Budgets",
        "Configuration", "EventLoop", "Money", "Pages", "Pricing", "Server", "Time",
      ]),
    tests("TelemetryTests", ["Telemetry", "HTTP", "Metrics", "Money", "Pricing", "Time"]),
    tests("BillingTests", ["Billing", "Configuration", "Ledger", "Money", "TLS", "Time"]),
    tests("ReconciliationTests", ["Reconciliation", "Ledger", "Money", "Pricing", "Time"]),
    tests(
      "GatewayTests",
      [
        "Gateway", "Budgets", "Configuration", "EventLoop", "HTTP", "HTTPServer", "InMemory",
        "JSON", "Ledger", "Logging", "Metering", "Money", "Objects", "Pricing", "TLS", "Time",
        "Upstream",
      ]),
    tests("StyleTests", ["catraca", "Configuration", "Console"]),
    tests("SandboxTests", ["Sandbox"]),
    tests("ServerTests", ["Server", "Configuration", "EventLoop", "Ledger", "Logging", "Time"]),
    tests(
      "CommandTests",
      [
        "catraca", "Configuration", "Console", "InMemory", "JSON", "Ledger", "EventLoop",
        "Upstream", "Pages", "Pricing", "Budgets", "Money", "Time", "Server",
      ]),
  ],
  cxxLanguageStandard: .cxx17
)
