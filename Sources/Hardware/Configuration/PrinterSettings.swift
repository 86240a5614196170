internal import SettingsFile

/// The list `printers`: what the shop says of its receipt printers.
struct PrinterSettings {
    let printers: [ReceiptPrinter]

    private static let rowLimit = 50
    private static let keys = ["name", "address", "family", "columns", "status"]

    init(_ section: SettingsNode?) throws(SettingsError) {
        var printers: [ReceiptPrinter] = []
        for node in try section?.list(count: 0...Self.rowLimit) ?? [] {
            let printer = try Self.printer(node)
            guard !printers.contains(where: { $0.name == printer.name }) else {
                throw try node.required("name").error(
                    "the printer is there twice", fix: "give one of them another name")
            }
            printers.append(printer)
        }
        self.printers = printers
    }

    private static func printer(_ node: SettingsNode) throws(SettingsError) -> ReceiptPrinter {
        try node.mapping(allowedKeys: keys)
        return ReceiptPrinter(
            name: try node.required("name").printerName(), connection: try connection(node),
            family: try node.optional("family")?.choice(PrinterFamily.self) ?? .epson,
            columns: try node.optional("columns")?.int(in: 24...80) ?? ReceiptPrinter.standardColumns)
    }

    private static func connection(_ node: SettingsNode) throws(SettingsError) -> ReceiptPrinter.Connection {
        let status = try node.optional("status")
        guard let address = try node.optional("address") else {
            guard let status else { return .queue }
            throw status.error(
                "a print queue is asked by the print server", fix: "remove 'status', or give the printer an address")
        }
        guard let place = PrinterAddress(try address.line(length: 1...300)) else {
            throw address.error(
                "not the address of a network printer",
                fix: "write socket://HOST or socket://HOST:PORT; a printer with a user or of another kind gets a queue")
        }
        return .network(place, answers: try status?.bool() ?? true)
    }
}
