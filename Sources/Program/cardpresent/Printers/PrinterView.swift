import Printing

/// A printer of `printers list`.
struct PrinterStatus: TableRow {
    let printer: PrintQueue
    /// Why a network printer does not answer.
    var failure: PrinterError?

    private var reasons: [String] { printer.reasons.filter { $0 != "none" } }

    /// `idle`, `processing`, or `stopped`; `unreachable` for a network printer that does not answer; `unknown` for one
    /// that does not report its state.
    private var state: String { failure == nil ? printer.state.rawValue : "unreachable" }

    private var message: String? {
        if case .unreachable(_, _, let words) = failure { words } else { failure?.description ?? printer.message }
    }

    var json: JSONObject {
        [
            // The kind is queue or network.
            "name": printer.name, "kind": printer.kind.rawValue, "isDefault": printer.isDefault, "state": state,
            "acceptsJobs": printer.isAcceptingJobs, "reasons": reasons, "message": message,
            "address": printer.address, "model": printer.model,
        ]
    }

    /// The state with its reasons, as text.
    var condition: String {
        let why = [PrinterReason.words(reasons), message ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
        return state + (printer.isAcceptingJobs ? "" : ", not accepting jobs") + (why.isEmpty ? "" : ": " + why)
    }

    static var heads: [String] { ["", "name", "state", "address"] }

    var cells: [String] { [printer.isDefault ? "*" : " ", printer.name, condition, printer.address ?? ""] }

    var colors: [Int: WordColor] {
        if failure != nil || printer.state == .stopped { return [2: .bad] }
        return printer.isAcceptingJobs && printer.state != .unknown ? [2: .good] : [2: .doubtful]
    }
}

/// A printer with its capabilities.
struct PrinterDetails: CommandResult {
    let printer: PrintQueue
    let capabilities: PrinterCapabilities

    var json: JSONObject {
        let media = capabilities.media.map { medium -> JSONObject in
            ["name": medium.name, "width": Double(medium.width) / 100, "length": Double(medium.length) / 100]
        }
        let language: (name: String, family: String?, columns: Int?) =
            switch capabilities.language {
            case .pdf: ("pdf", nil, nil)
            case .escpos(let family, let columns): ("escpos", family.rawValue, columns)
            case .text(let columns): ("text", nil, columns)
            }
        return [
            "printer": PrinterStatus(printer: printer).json, "language": language.name,
            // The family of ESC/POS: epson or star.
            "family": language.family, "columns": language.columns, "formats": capabilities.formats,
            // The size of the media is in millimeters.
            "media": media, "defaultMedium": capabilities.defaultMedium?.name,
            // Whether the printer confirms that a job is on paper.
            "confirms": capabilities.canConfirm,
        ]
    }

    var text: String {
        let formats = capabilities.formats
        var rows = [
            ["name", printer.name + (printer.isDefault ? " (default)" : "")],
            ["kind", printer.kind == .queue ? "print queue" : "network printer"],
            ["state", PrinterStatus(printer: printer).condition],
        ]
        if let address = printer.address { rows.append(["address", address]) }
        if let model = printer.model { rows.append(["model", model]) }
        rows.append(["language", languageWords])
        // The formats used for receipts come first; print servers list dozens.
        let more = formats.count > 4 ? " and \(formats.count - 4) more" : ""
        if !formats.isEmpty { rows.append(["formats", formats.prefix(4).joined(separator: ", ") + more]) }
        for (index, medium) in capabilities.media.enumerated() {
            let size = "\(Self.millimeters(medium.width)) × \(Self.millimeters(medium.length)) mm"
            let isDefault = medium.name == capabilities.defaultMedium?.name
            rows.append([index == 0 ? "paper" : "", "\(medium.name), \(size)" + (isDefault ? " (default)" : "")])
        }
        rows.append(["confirms", capabilities.canConfirm ? "yes" : "no: accepts data without reporting the result"])
        return TextTable.text(rows)
    }

    private var languageWords: String {
        switch capabilities.language {
        case .pdf: "PDF"
        case .escpos(let family, let columns): "ESC/POS (\(family.rawValue)), \(columns) columns"
        case .text(let columns): "text, \(columns) columns"
        }
    }

    /// Returns a length in hundredths of a millimeter as text in millimeters.
    private static func millimeters(_ length: Int) -> String {
        length % 100 == 0 ? String(length / 100) : String(Double(length) / 100)
    }
}
