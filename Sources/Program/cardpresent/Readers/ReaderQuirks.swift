import ArgumentParser
import CCID
import TillConfiguration
import USB

/// `readers quirks`
struct ReaderQuirksCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "quirks", abstract: "List readers that need special handling.",
        discussion: """
            EXAMPLES:
              cardpresent readers quirks
              cardpresent readers quirks --json

            Each row names a reader by USB vendor and product ID and firmware, the special handling by the driver, and \
            the source. Rows that match a connected reader are marked with *. To add rows in the configuration, see \
            docs/readers.md.
            """)

    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let settings = try configuration.load()
        let table = settings.readerQuirks
        let devices = try await ReaderCatalog.readers(on: try bus.open(), settings).map(\.device.descriptor)
        let rows = table.rules.map { rule in
            QuirkRow(rule: rule, isPlugged: devices.contains(where: rule.applies))
        }
        let json: JSONObject = ["allowsRefusedFirmware": table.allowsRefusedFirmware, "rows": rows.json]
        try output.write(json, text: rows.text)
    }
}

/// A row of the quirk table.
private struct QuirkRow: CommandResult {
    let rule: ReaderQuirkRule
    /// Whether the row matches a connected reader.
    let isPlugged: Bool

    /// The quirks that the row removes.
    private var lifted: [String] {
        ReaderQuirk.Kind.allCases.filter(rule.lifted.contains).map(\.rawValue)
    }

    /// Faults that the driver tolerates in every reader.
    private var tolerated: [String] {
        ToleratedFault.allCases.filter(rule.tolerated.contains).map(\.rawValue)
    }

    var json: JSONObject {
        [
            // The firmware is 'all', a release, or a range of releases.
            "name": rule.name, "usbID": rule.usbID, "firmware": rule.firmwareText,
            "quirks": rule.quirks.map { $0.json }, "lifted": lifted, "borne": tolerated, "source": rule.source,
            "isPlugged": isPlugged,
        ]
    }

    var text: String {
        var lines = ["\(isPlugged ? "*" : " ") \(rule.usbID)  \(rule.name), firmware \(rule.firmwareText)"]
        func add(_ name: String, _ value: String) { lines.append("      " + name.padded(to: 22) + value) }
        for quirk in rule.quirks { add(quirk.kind.rawValue, quirk.description) }
        for kind in lifted { add(kind, "removed") }
        if !tolerated.isEmpty { add("tolerated", tolerated.joined(separator: ", ")) }
        add("source", rule.source)
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ReaderQuirk {
    /// The quirk as JSON: its key in the configuration, and how the driver handles it.
    var json: JSONObject { ["kind": kind.rawValue, "does": description] }
}

extension CommandFailure {
    /// Creates the failure for a reader that could not be opened.
    init(opening error: CCIDError) {
        guard case .firmwareRefused = error else {
            self.init(.reader, code: "reader_failed", message: error.description)
            return
        }
        self.init(
            .reader, code: "firmware_refused", message: error.description,
            fix: "to use it anyway, set readers.allowRefusedFirmware in the configuration")
    }
}
