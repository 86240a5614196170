import CCUPS

/// A queue of the print server, opened for queries and printing.
struct CUPSDestination: ~Copyable {
    private let connection: CUPSConnection
    private let destination: UnsafeMutablePointer<cups_dest_t>
    private let information: OpaquePointer
    let queue: PrintQueue

    /// - Parameters:
    ///   - connection: The connection to the server.
    ///   - name: The name of the queue; nil for the server's default queue.
    /// - Throws: ``PrinterError/printerNotFound(_:available:)``, ``PrinterError/noDefaultPrinter(available:)``,
    ///   ``PrinterError/rejected(printer:message:)``
    init(_ connection: consuming CUPSConnection, named name: String?) throws(PrinterError) {
        let cups = connection.cups
        guard let destination = cups.cupsGetNamedDest(connection.http, name, nil) else {
            let available = try connection.queues().map(\.name)
            if let name { throw .printerNotFound(name, available: available) }
            throw .noDefaultPrinter(available: available)
        }
        guard let queue = connection.queue(destination),
            let information = ccups_copy_information(cups, connection.http, destination)
        else {
            ccups_free_destinations(cups, 1, destination)
            throw .rejected(printer: name ?? "", message: connection.lastError)
        }
        self.connection = connection
        (self.destination, self.information, self.queue) = (destination, information, queue)
    }

    deinit {
        connection.cups.cupsFreeDestInfo(information)
        ccups_free_destinations(connection.cups, 1, destination)
    }

    private var cups: ccups_functions { connection.cups }
    private var http: OpaquePointer { connection.http }

    // MARK: What it takes

    /// - Parameter description: The configured printer behind a raw queue; nil when none is configured.
    /// - Returns: Its language, its media, and whether it confirms jobs.
    borrowing func capabilities(_ description: ReceiptPrinter?) -> PrinterCapabilities {
        let media = media()
        let defaultMedium = defaultMedium(of: media)
        let language: PrinterCapabilities.Language =
            if queue.isRaw {
                .escpos(description?.family ?? .epson, columns: description?.columns ?? ReceiptPrinter.standardColumns)
            } else if takes(PrintDocument.pdfFormat) {
                .pdf
            } else {
                .text(columns: Self.textColumns(of: defaultMedium))
            }
        return PrinterCapabilities(
            name: queue.name, language: language, formats: formats(), media: media, defaultMedium: defaultMedium,
            canConfirm: queue.confirms)
    }

    /// CUPS sets text with ten characters per inch.
    private static func textColumns(of medium: PrintMedium?) -> Int {
        guard let medium else { return 80 }
        return min(80, max(24, medium.width / 254))
    }

    /// Whether the queue takes a MIME type. For a raw queue CUPS lists every type that it knows, although the printer
    /// would print the bytes of a PDF as text.
    private borrowing func takes(_ format: String) -> Bool {
        guard !queue.isRaw else { return format == PrintDocument.rawFormat }
        return ccups_supports(cups, http, destination, information, "document-format", format)
    }

    /// Returns the MIME types that the queue takes, starting with those that this program produces.
    private borrowing func formats() -> [String] {
        guard !queue.isRaw else { return [PrintDocument.rawFormat] }
        guard let attribute = cups.cupsFindDestSupported(http, destination, information, "document-format") else {
            return []
        }
        let all = connection.strings(attribute)
        let own = [PrintDocument.pdfFormat, PrintDocument.textFormat].filter(all.contains)
        return own + all.filter { !own.contains($0) }
    }

    private borrowing func media() -> [PrintMedium] {
        var media: [PrintMedium] = []
        for index in 0..<ccups_count_media(cups, http, destination, information) {
            var medium = ccups_medium()
            guard ccups_get_medium(cups, http, destination, information, index, &medium) else { continue }
            media.append(PrintMedium(medium))
        }
        return media
    }

    /// The loaded medium takes precedence over the driver's default.
    private borrowing func defaultMedium(of media: [PrintMedium]) -> PrintMedium? {
        var found = ccups_medium()
        guard ccups_get_default_medium(cups, http, destination, information, &found) else { return nil }
        let medium = PrintMedium(found)
        guard let attribute = cups.cupsFindDestReady(http, destination, information, "media") else { return medium }
        let ready = connection.strings(attribute)
        guard !ready.contains(medium.name) else { return medium }
        return ready.lazy.compactMap { name in media.first { $0.name == name } }.first ?? medium
    }

    /// Finds a medium by its name or size, including a custom size that the printer supports but does not list.
    private borrowing func medium(named name: String) throws(PrinterError) -> PrintMedium {
        let capabilities = capabilities(nil)
        do throws(PrinterError) { return try capabilities.medium(named: name) } catch {
            var medium = ccups_medium()
            guard let wanted = PrintMedium.wellKnown(name), let width = Int32(exactly: wanted.width),
                let length = Int32(exactly: wanted.length),
                ccups_get_medium_of_size(cups, http, destination, information, width, length, &medium)
            else { throw error }
            return PrintMedium(medium)
        }
    }

    // MARK: Printing

    borrowing func submit(_ document: PrintDocument, options: PrintOptions) throws(PrinterError) -> PrintJob {
        guard takes(document.format) else {
            throw .unsupportedFormat(document.format, printer: queue.name, supported: formats())
        }
        var list = ccups_options()
        defer { ccups_free_options(cups, list) }
        ccups_add_option(cups, &list, "document-format", document.format)
        if options.copies > 1 { ccups_add_option(cups, &list, "copies", String(options.copies)) }
        if let name = options.medium { ccups_add_option(cups, &list, "media", try medium(named: name).name) }
        var id: Int32 = 0
        let created = ccups_create_job(cups, http, destination, information, &id, document.title, list)
        guard created == IPP_STATUS_OK || created == IPP_STATUS_OK_IGNORED_OR_SUBSTITUTED else {
            throw .rejected(printer: queue.name, message: connection.lastError)
        }
        try send(document, job: id)
        return PrintJob(id: id, printer: queue.name, state: .pending)
    }

    private borrowing func send(_ document: PrintDocument, job: Int32) throws(PrinterError) {
        var status = ccups_start_document(cups, http, destination, information, job, document.format)
        if status == HTTP_STATUS_CONTINUE {
            status = document.bytes.withUnsafeBytes { buffer in
                cups.cupsWriteRequestData(http, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
            }
        }
        let finished = cups.cupsFinishDestDocument(http, destination, information)
        guard status == HTTP_STATUS_CONTINUE,
            finished == IPP_STATUS_OK || finished == IPP_STATUS_OK_IGNORED_OR_SUBSTITUTED
        else {
            let message = connection.lastError
            // A job without its document would wait in the queue forever.
            _ = cups.cupsCancelDestJob(http, destination, job)
            guard status == HTTP_STATUS_CONTINUE, Self.isBreak(finished) else {
                throw .rejected(printer: queue.name, message: message)
            }
            throw .serverUnavailable(server: connection.server, message: message)
        }
    }

    /// Whether this status means a broken connection, after which the server may have the whole document.
    private static func isBreak(_ status: ipp_status_t) -> Bool {
        status == IPP_STATUS_ERROR_INTERNAL || status == IPP_STATUS_ERROR_SERVICE_UNAVAILABLE
            || status == IPP_STATUS_ERROR_DEVICE
    }
}

extension PrintMedium {
    fileprivate init(_ medium: ccups_medium) {
        let name = withUnsafeBytes(of: medium.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(name: name, width: Int(medium.width), length: Int(medium.length))
    }
}
