internal import Hardware

/// A printer with what it takes.
struct PrinterDetailView: Encodable, Sendable {
    struct Medium: Encodable, Sendable {
        var name: String
        /// In millimetres.
        var width: Double
        var length: Double
    }

    var printer: PrinterView
    /// `pdf`, `escpos` or `text`.
    var language: String
    /// `epson` or `star`; null for what obeys no such commands.
    @Nullable var family: String?
    @Nullable var columns: Int?
    var formats: [String]
    var media: [Medium]
    @Nullable var defaultMedium: String?
    /// Whether "printed" means paper.
    var confirms: Bool

    init(_ queue: PrintQueue, _ capabilities: PrinterCapabilities) {
        printer = PrinterView(queue)
        switch capabilities.language {
        case .pdf: language = "pdf"
        case .escpos(let family, let columns):
            language = "escpos"
            (self.family, self.columns) = (family.rawValue, columns)
        case .text(let columns):
            language = "text"
            self.columns = columns
        }
        formats = capabilities.formats
        media = capabilities.media.map {
            Medium(name: $0.name, width: Double($0.width) / 100, length: Double($0.length) / 100)
        }
        (defaultMedium, confirms) = (capabilities.defaultMedium?.name, capabilities.canConfirm)
    }

    var text: String {
        let isQueue = printer.kind == PrintQueue.Kind.queue.rawValue
        var rows = [
            ["name", printer.name + (printer.isDefault ? " (default)" : "")],
            ["kind", isQueue ? "queue of the print server" : "network printer"], ["state", printer.condition],
        ]
        if let address = printer.address { rows.append(["address", address]) }
        if let model = printer.model { rows.append(["model", model]) }
        rows.append(["language", languageWords])
        // Those that a receipt is made in come first; print servers know dozens.
        let more = formats.count > 4 ? " and \(formats.count - 4) more" : ""
        if !formats.isEmpty { rows.append(["takes", formats.prefix(4).joined(separator: ", ") + more]) }
        for (index, medium) in media.enumerated() {
            let size = "\(Self.millimetres(medium.width)) × \(Self.millimetres(medium.length)) mm"
            rows.append([
                index == 0 ? "paper" : "",
                "\(medium.name), \(size)" + (medium.name == defaultMedium ? " (default)" : ""),
            ])
        }
        rows.append([
            "confirms", confirms ? "yes: what is printed is on paper" : "no: it takes bytes, and says no more",
        ])
        return TextTable.text(rows)
    }

    private var languageWords: String {
        switch (language, columns) {
        case ("pdf", _): "PDF"
        case ("escpos", let columns?): "ESC/POS (\(family ?? "")), \(columns) columns"
        case (_, let columns?): "text, \(columns) columns"
        default: language
        }
    }

    private static func millimetres(_ length: Double) -> String {
        let whole = Int(length.rounded())
        return Double(whole) == length ? String(whole) : String(length)
    }
}
