internal import CCID

/// What `readers quirks --json` shows.
struct QuirkTableView: Encodable, Sendable {
    /// Whether readers with refused firmware are used all the same.
    var allowsRefusedFirmware: Bool
    var rows: [QuirkRowView]
}

/// A row of the quirk table.
struct QuirkRowView: Encodable, Sendable {
    var name: String
    /// USB vendor and product: `04e6:e001`.
    var usbID: String
    /// `all`, one release, or a range of them.
    var firmware: String
    var quirks: [QuirkView]
    /// Kinds that the row takes back.
    var lifted: [String]
    /// Faults that the driver bears with every reader.
    var borne: [String]
    var source: String
    /// Whether it is about a reader that is plugged in.
    var isPlugged: Bool

    init(_ rule: ReaderQuirkRule, isPlugged: Bool) {
        (name, usbID, firmware, source) = (rule.name, rule.usbID, rule.firmwareText, rule.source)
        quirks = rule.quirks.map { QuirkView($0) }
        lifted = ReaderQuirk.Kind.allCases.filter(rule.lifted.contains).map(\.rawValue)
        borne = BorneFault.allCases.filter(rule.borne.contains).map(\.rawValue)
        self.isPlugged = isPlugged
    }

    var text: String {
        var lines = ["\(isPlugged ? "*" : " ") \(usbID)  \(name), firmware \(firmware)"]
        lines += quirks.map { "      " + $0.kind.padded(to: 22) + $0.does }
        lines += lifted.map { "      " + $0.padded(to: 22) + "taken back" }
        if !borne.isEmpty { lines.append("      " + "borne anyway".padded(to: 22) + borne.joined(separator: ", ")) }
        return (lines + ["      " + "source".padded(to: 22) + source]).joined(separator: "\n") + "\n"
    }
}
