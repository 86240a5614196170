// swift-tools-version: 6.2
import PackageDescription

// The layers from the bottom up, then the tests. Scripts/check-layers checks what targets import, and from which ones.
/// The targets of one layer. A target is in the folder of its name there, unless it says otherwise.
func layer(_ folder: String, _ targets: Target...) -> [Target] {
    for target in targets { target.path = target.path ?? "\(folder)/\(target.name)" }
    return targets
}

/// A target. Lists are separated by blanks; `names` are the modules that its files import.
func target(
    _ name: String, at path: String? = nil, uses names: String..., excluding: String = "", sources: String? = nil,
    embedding: String = ""
) -> Target {
    .target(
        name: name, dependencies: names.flatMap(list).map(dependency), path: path, exclude: list(excluding),
        sources: sources.map(list), resources: list(embedding).map { .embedInCode($0) })
}

/// The tests of a target: `Card/EMV` is `EMVTests` in `Tests/Card`. `of` names the target where the place does not.
func tests(
    _ place: String, of tested: String? = nil, uses names: String..., excluding: String = "", copying: String = ""
) -> Target {
    let name = String(place.drop { $0 != "/" }.dropFirst())
    return .testTarget(
        name: name + "Tests", dependencies: (list(tested ?? name) + names.flatMap(list)).map(dependency),
        path: "Tests/\(place)Tests", exclude: list(excluding), resources: list(copying).map { .copy($0) })
}

/// What many targets use: sessions and tests with simulated cards, payment hosts, scenarios, and protocols of tills.
let cards = "CardSecrets Determinism EMV Money Payments Simulator SmartCard"
let hosts = "Connections Cryptography HostSecurity ISO8583"
let scenarios = "ScenarioFormat ScenarioRunner Sessions Settings Simulator"
let tills = "Determinism Money Payments Terminal Text"
func list(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// The modules of other packages, by the package that they come from.
let packages = [
    "ArgumentParser": "swift-argument-parser", "GRDB": "GRDB.swift", "GRDBSQLite": "GRDB.swift", "NIOCore": "swift-nio",
    "NIOEmbedded": "swift-nio", "NIOHTTP1": "swift-nio", "NIOPosix": "swift-nio", "Yams": "Yams",
]
func dependency(_ module: String) -> Target.Dependency {
    packages[module].map { .product(name: module, package: $0) } ?? .byName(name: module)
}

/// C libraries of the system: module maps. CCUPS, CCairo, CCurl, CPCSC, CPostgreSQL, CToken are opened on first use.
let system = layer(
    "Sources/System",
    .systemLibrary(name: "CLibUSB", pkgConfig: "libusb-1.0", providers: [.apt(["libusb-1.0-0-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCUPS", providers: [.apt(["libcups2-dev"])]), .systemLibrary(name: "CPostgreSQL"),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]), .target(name: "CProcessSecrecy"),
    .systemLibrary(name: "CToken"), .target(name: "CSQLiteSwitches", linkerSettings: [.linkedLibrary("sqlite3")]),
    .systemLibrary(name: "CCairo"), .systemLibrary(name: "CLinux"), .systemLibrary(name: "CPCSC"))

let foundations = layer(
    "Sources/Foundations",
    target("CardSecrets"), target("Connections", uses: "CardSecrets CLinux Concurrency COpenSSL Determinism Files"),
    target("Text"), target("Cryptography", uses: "CardSecrets COpenSSL Determinism"), target("Money", uses: "Text"),
    target("Determinism", uses: "Text"), target("Settings", uses: "CardSecrets Files Text Yams"), target("Concurrency"),
    target("Files", uses: "Concurrency Determinism"), target("Monitoring", uses: "Determinism Text"))

let card = layer(
    "Sources/Card",
    target("SmartCard", uses: "CardSecrets Text"), target("EntryPoint", uses: "Determinism EMV Money SmartCard Text"),
    target("EMV", uses: "CardSecrets Cryptography Determinism Money SmartCard Text"),
    target("ContactlessKernel8", uses: "CardSecrets Cryptography Determinism EMV EntryPoint SmartCard"),
    target(
        "EMVReplay", uses: "CardSecrets ContactlessKernel8 Cryptography Determinism EMV EntryPoint Money Settings",
        "SmartCard Text"))

let readers = layer(
    "Sources/Readers",
    target("USB", uses: "CLibUSB Concurrency Determinism Files Text"), target("DFU", uses: "Determinism Text USB"),
    target("CCID", uses: "CardSecrets Determinism SmartCard Text USB"),
    target("PCSC", uses: "CardSecrets Concurrency CPCSC Determinism Files SmartCard Text"),
    target("MagneticStripe", uses: "CardSecrets CLinux Determinism Text USB"))

/// Payments at a reader, their receipts, and the configuration of a till.
let payment = layer(
    "Sources/Payment",
    target(
        "Hardware", uses: "CardSecrets CCID Concurrency ContactlessKernel8 Determinism DFU EMV EntryPoint Files",
        "MagneticStripe Money Payments PCSC SmartCard Text USB"),
    target("Printing", uses: "CCUPS Concurrency Determinism Files Text"),
    target(
        "TillConfiguration", uses: hosts, "CardSecrets CCID ContactlessKernel8 Determinism EMV EntryPoint Hardware",
        "MagneticStripe Money Payments Printing Settings SmartCard Text USB"),
    target(
        "ISO8583", uses: "CardSecrets Determinism Settings SmartCard Text", excluding: "profile.schema.json",
        embedding: "Profiles/Shipped"), target("Receipts", uses: "CCairo EMV Money Payments Printing Text"),
    target(
        "Hosts", uses: hosts, "CardSecrets Concurrency Determinism EMV MagneticStripe Money Payments SmartCard Text",
        "TillConfiguration"), target("NexoTerminal", uses: tills, "CardSecrets Cryptography"),
    target("HostSecurity", uses: "CardSecrets Concurrency Cryptography CToken Determinism Files ISO8583 Settings Text"),
    target("Payments", uses: "CardSecrets Determinism EMV MagneticStripe Money SmartCard Text"),
    target("Terminal", uses: "Determinism Money Payments Text"), target("StripeTerminal", uses: tills, "Cryptography"),
    target("ZVT", uses: tills, "CardSecrets"))

/// Records, the network, and the actions and stores above them.
let store = layer(
    "Sources/Store",
    target("Storage", uses: "CSQLiteSwitches Determinism Files GRDB GRDBSQLite Money Payments Text"),
    target("Networking", uses: "CCurl CLinux Concurrency Determinism Files Money Text"),
    target("TestDoubles", uses: "Concurrency Determinism Networking Text"),
    target("PostgreSQL", uses: "Concurrency Connections CPostgreSQL Determinism"),
    target("Fleet", uses: "Connections Cryptography Determinism Money PostgreSQL Storage Text"),
    target(
        "Yosemite", uses: "CardSecrets Concurrency Cryptography Determinism EMV Files Hardware Money Networking",
        "Payments Printing Receipts Settings SmartCard Storage Text TillConfiguration"))

/// Everything simulated. Only HTTPListening needs a web server; only tests may use SimulatorTesting and SimulatedTime.
let simulator = layer(
    "Simulator",
    target(
        "Simulator", at: "Simulator", uses: "CardSecrets Concurrency ContactlessKernel8 CRunQueue Cryptography",
        "Determinism EMV EMVReplay Files MagneticStripe Money Payments Settings SmartCard Text USB",
        excluding: "Acquirer Clock/CRunQueue Explorer HTTPInterface Resources/Scenarios Scenarios Sessions StoreSite"
            + " Service Simulator.docc TerminalServer Testing WorkQueue", sources: "Bridges Cards Clock Devices Issuer",
        embedding: "Resources/Cards Resources/IssuerRules Resources/Keys"),
    target(
        "StoreSiteServer", at: "Simulator/StoreSite/Server", uses: "Determinism HTTPListening Monitoring Networking",
        "StoreSite"), target("SimulatorTesting", at: "Simulator/Testing", uses: scenarios, excluding: "SimulatedTime"),
    target(
        "TerminalServer", uses: "CardSecrets Connections Determinism Files HTTPListening Money Networking NexoTerminal",
        "Payments Sessions Settings Simulator StripeTerminal Terminal ZVT"),
    target(
        "Sessions", uses: cards, hosts, "Acquirer Concurrency ContactlessKernel8 EntryPoint Hardware Hosts Networking",
        "NexoTerminal Printing Settings Storage StoreSite StripeTerminal Terminal Text TillConfiguration USB Yosemite"),
    target(
        "ScenarioFormat", at: "Simulator/Scenarios/Format", uses: "Acquirer Determinism EMV Hardware ISO8583 Money",
        "Payments Settings Simulator StoreSite Text TillConfiguration", excluding: "scenario.schema.json"),
    target(
        "ScenarioRunner", at: "Simulator/Scenarios/Runner", uses: tills, "CardSecrets Hardware NexoTerminal",
        "ScenarioFormat Sessions SessionViews Settings Simulator StoreSite StripeTerminal TillConfiguration Yosemite",
        "ZVT"), target("Explorer", uses: scenarios, "Determinism Hardware Money Payments StoreSite Text Yosemite"),
    target(
        "Recorder", at: "Simulator/Scenarios/Recorder", uses: cards, "Hardware ScenarioFormat ScenarioRunner Sessions",
        "Settings Text TillConfiguration"), target("CRunQueue", at: "Simulator/Clock/CRunQueue"),
    target(
        "SimulationServer", at: "Simulator/Service", uses: scenarios, "Acquirer CardSecrets Concurrency Cryptography",
        "Determinism EMV HTTPInterface HTTPListening Money Monitoring Payments PostgreSQL Printing Receipts",
        "SessionViews SmartCard StoreSite Text Yosemite", excluding: "Console Listening openapi.json"),
    target("SessionViews", at: "Simulator/Service/Console", uses: "EMV Sessions SmartCard Text", embedding: "Page"),
    target("HTTPListening", at: "Simulator/Service/Listening", uses: "Determinism NIOCore NIOHTTP1 NIOPosix"),
    target("Acquirer", uses: cards, hosts, "Concurrency Files GRDB MagneticStripe Settings Text"),
    target("StoreSite", uses: "Cryptography Determinism Money Text", excluding: "Server"),
    target("HTTPInterface", uses: "CardSecrets Cryptography HTTPListening Settings Text"),
    target("SimulatedTime", at: "Simulator/Testing/SimulatedTime", uses: "Simulator"),
    target("WorkQueue", uses: "Determinism PostgreSQL"))

/// The command, the doctor, the back office over HTTP, and receipts by mail.
let program = layer(
    "Sources/Program",
    target(
        "Doctor", uses: "CCID CLinux Determinism Files Hardware MagneticStripe Printing Settings Storage Text USB",
        embedding: "Rules"), target("Mail", uses: "Determinism Files Text"), target("ManualPages", uses: "Text"),
    .executableTarget(
        name: "CardPresentCommand",
        dependencies: [
            "Acquirer ArgumentParser CardSecrets CCID Concurrency Connections ContactlessKernel8 CProcessSecrecy",
            "Cryptography Determinism DFU Doctor EMV EMVReplay EntryPoint Explorer Files Fleet FleetServer Hardware",
            "Hosts HostSecurity HTTPListening ISO8583 MagneticStripe Mail ManualPages Money Monitoring Networking",
            "NexoTerminal Payments PCSC PostgreSQL Printing Receipts Recorder ScenarioFormat ScenarioRunner Sessions",
            "Settings SimulationServer Simulator SmartCard Storage StoreSite StoreSiteServer StripeTerminal Terminal",
            "TerminalServer Text TillConfiguration USB WorkQueue Yosemite ZVT",
        ].flatMap(list).map(dependency), path: "Sources/Program/cardpresent"),
    target(
        "FleetServer", uses: "Connections Determinism Fleet HTTPInterface HTTPListening Money Monitoring NIOCore",
        "Payments SessionViews Text"))

let testTargets = layer(
    "Tests/Support",
    tests(
        "Payment/Hardware", uses: cards, "CCID DFU EntryPoint MagneticStripe Settings SimulatedTime TestDoubles",
        "TillConfiguration USB"), tests("Store/PostgreSQL", uses: "Connections Determinism TestDoubles TestPostgreSQL"),
    tests(
        "Payment/TillConfiguration", uses: "CardSecrets ContactlessKernel8 Cryptography Determinism EMV EntryPoint",
        "Hardware MagneticStripe Money Payments Printing Settings", excluding: "Frozen"),
    tests("Foundations/Connections", uses: "Determinism Files"),
    tests(
        "Store/Yosemite", uses: cards, "CCID CCrashDisk Concurrency DFU Fakes Files Hardware Networking Printing",
        "Receipts Settings SimulatedTime Storage StoreSite TestDoubles Text TillConfiguration"), target("TestPrinters"),
    tests(
        "Simulator/Recorder", uses: "CardSecrets Determinism EMV Hardware Money ScenarioFormat Simulator SmartCard",
        "TillConfiguration"), tests("Simulator/WorkQueue", uses: "Connections Determinism PostgreSQL TestPostgreSQL"),
    tests(
        "Simulator/SimulationServer", uses: "CardSecrets Determinism HTTPInterface HTTPListening Monitoring PostgreSQL",
        "Sessions SessionViews Simulator TestOpenAPI TestPostgreSQL Text"), tests("Program/Mail", uses: "Determinism"),
    tests(
        "Simulator/Simulator", uses: "CardSecrets CCID ContactlessKernel8 Cryptography Determinism EMV EntryPoint",
        "Hardware MagneticStripe Money Payments Settings SimulatedTime SmartCard USB"), tests("Program/ManualPages"),
    tests(
        "Simulator/SimulatorTesting", uses: "CCID Determinism EMV Hardware Money Payments ScenarioFormat",
        "ScenarioRunner Sessions Simulator SmartCard Storage StoreSite USB"), tests("Foundations/Determinism"),
    tests(
        "Program/Doctor", uses: "CCID Determinism Hardware MagneticStripe Printing Settings SimulatedTime Simulator",
        "Storage USB"), tests("Readers/Reader", of: "CCID", uses: cards, "Hardware MagneticStripe SimulatedTime USB"),
    tests(
        "Store/Fleet", uses: "Connections Determinism FleetServer HTTPInterface Money Payments PostgreSQL Storage",
        "TestOpenAPI TestPostgreSQL Text"), tests("Store/Networking", uses: "Determinism Files Money TestDoubles Text"),
    tests("Payment/Receipts", uses: "CTestFonts Determinism Payments Printing TestPrinters Text", excluding: "Goldens"),
    tests("Program/Command", of: "", uses: cards, "CCID Connections PCSC PostgreSQL TestPostgreSQL TestPrinters USB"),
    tests("Simulator/Sessions", uses: cards, "Acquirer CLinux GRDB Hardware ISO8583 Storage StoreSite Yosemite"),
    tests(
        "Card/EMVReplay", uses: "CardSecrets ContactlessKernel8 Determinism EMV EntryPoint Money Settings SmartCard",
        copying: "Traces"),
    tests("Readers/Guest", of: "CCID", uses: "CardSecrets Determinism EMV Hardware Simulator SmartCard USB"),
    tests("Payment/ISO8583", uses: "CardSecrets Cryptography Determinism Settings Text", copying: "Vectors"),
    tests("Payment/HostSecurity", uses: "CardSecrets Cryptography Determinism Files ISO8583 Settings Text"),
    tests("Card/ContactlessKernel8", uses: "CardSecrets Cryptography Determinism EMV EntryPoint SmartCard"),
    tests("Simulator/StoreSiteServer", uses: "Determinism HTTPListening Money Networking StoreSite Text"),
    tests("Simulator/ScenarioRunner", uses: "ScenarioFormat Sessions Settings Text", excluding: "Frozen"),
    tests("Readers/MagneticStripe", uses: "CardSecrets Determinism SimulatedTime Simulator USB"), target("CTestFonts"),
    tests("Readers/CCID", uses: "CardSecrets Determinism SimulatedTime Simulator SmartCard USB"), target("CCrashDisk"),
    tests("Simulator/Acquirer", uses: cards, hosts, "Hosts MagneticStripe SimulatedTime Text"), tests("Card/SmartCard"),
    tests("Simulator/Explorer", uses: scenarios, "Determinism Money Payments StoreSite"), tests("Foundations/Money"),
    tests("Simulator/TerminalServer", uses: tills, "Connections Sessions TestDoubles"), tests("Foundations/Files"),
    tests("Simulator/HTTPListening", uses: "Determinism NIOCore NIOEmbedded NIOHTTP1"), tests("Foundations/Text"),
    tests("Card/EMV", uses: "CardSecrets Cryptography Determinism Money SmartCard"), tests("Foundations/CardSecrets"),
    tests("Payment/Hosts", uses: cards, hosts, "SimulatedTime TillConfiguration"), target("TestPostgreSQL"),
    tests("Store/Storage", uses: "Determinism GRDB GRDBSQLite Money Payments"),
    tests("Foundations/Cryptography", uses: "CardSecrets Determinism Text"),
    tests("Payment/Printing", uses: "Determinism TestDoubles TestPrinters"),
    tests("Readers/PCSC", uses: "CardSecrets CPCSC Determinism SmartCard"),
    tests("Payment/NexoTerminal", uses: tills, "CardSecrets Cryptography"),
    tests("Readers/DFU", uses: "Determinism SimulatedTime Simulator USB"), tests("Payment/StripeTerminal", uses: tills),
    tests("Simulator/ScenarioFormat", uses: "Money Settings Simulator"), tests("Foundations/Settings", uses: "Files"),
    target("Fakes", uses: "Determinism Money Networking Text Yosemite"),
    tests("Simulator/StoreSite", uses: "Cryptography Determinism Text"),
    tests("Card/EntryPoint", uses: "Determinism EMV Money SmartCard"), tests("Payment/ZVT", uses: tills, "CardSecrets"),
    tests("Payment/Terminal", uses: "Determinism Money Payments"), tests("Foundations/Monitoring", uses: "Determinism"),
    tests("Foundations/Concurrency", uses: "TestDoubles"), tests("Readers/USB", uses: "CLibUSB Determinism"),
    target("TestOpenAPI", uses: "HTTPInterface Text"))

/// The library products, with the modules that they contain besides the one of their own name.
let libraries = [
    "Foundations": "CardSecrets Concurrency Connections Cryptography Determinism Files Money Monitoring Settings Text",
    "Hardware": "Payments Printing TillConfiguration", "Sessions": "ScenarioFormat ScenarioRunner", "TestDoubles": "",
    "MagneticStripes": "MagneticStripe", "StripeTerminal": "Terminal", "NexoTerminal": "Terminal", "ZVT": "Terminal",
    "ContactlessKernel8": "", "Hosts": "HostSecurity", "SimulatorTesting": "", "Receipts": "Payments", "Networking": "",
    "StoreSiteServer": "", "EntryPoint": "", "PostgreSQL": "", "SmartCard": "", "Simulator": "", "EMVReplay": "",
    "StoreSite": "", "WorkQueue": "", "Yosemite": "", "Storage": "", "ISO8583": "", "Fleet": "", "PCSC": "", "Mail": "",
    "CCID": "", "EMV": "", "DFU": "", "USB": "",
]

let targets = system + foundations + card + readers + payment + store + simulator + program + testTargets
let package = Package(
    name: "CardPresent",
    products: [.executable(name: "cardpresent", targets: ["CardPresentCommand"])]
        + libraries.sorted { $0.key < $1.key }.map { name, others in
            .library(name: name, targets: (targets.contains { $0.name == name } ? [name] : []) + list(others))
        },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
    ],
    targets: targets)
let features = list("ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault")
for target in targets where target.type != .system {
    target.swiftSettings = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    target.swiftSettings? += features.map { .enableUpcomingFeature($0) }
}
