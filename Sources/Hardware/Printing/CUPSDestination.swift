internal import CCUPS

/// A queue of the print server, opened to be asked and printed on.
struct CUPSDestination: ~Copyable {
    private let connection: CUPSConnection
    private let destination: UnsafeMutablePointer<cups_dest_t>
    private let information: OpaquePointer
    private let queue: PrintQueue

    /// - Parameters:
    ///   - connection: to the server.
    ///   - name: of the queue; nil for the server's default one.
    /// - Throws: ``PrinterError/printerNotFound(_:available:)``, ``PrinterError/noDefaultPrinter(available:)``,
    ///   ``PrinterError/rejected(printer:message:)``
    init(_ connection: consuming CUPSConnection, named name: String?) throws(PrinterError) {
        let cups = connection.cups
        guard let destination = cups.cupsGetNamedDest(connection.http, name, nil) else {
            let available = try connection.queues().map(\.name)
            if let name { throw .printerNotFound(name, available: available) }
            throw .noDefaultPrinter(available: available)
        }
        guard let queue = connection.queue(destination.pointee),
            let information = cups.cupsCopyDestInfo(connection.http, destination)
        else {
            cups.cupsFreeDests(1, destination)
            throw .rejected(printer: name ?? "", message: connection.lastError)
        }
        self.connection = connection
        (self.destination, self.information, self.queue) = (destination, information, queue)
    }

    deinit {
        connection.cups.cupsFreeDestInfo(information)
        connection.cups.cupsFreeDests(1, destination)
    }

    private var cups: ccups_functions { connection.cups }
    private var http: OpaquePointer { connection.http }

    // MARK: What it takes

    borrowing func capabilities() -> PrinterCapabilities {
        let defaultMedium = defaultMedium()
        let language: PrinterCapabilities.Language =
            if queue.isRaw {
                .escpos(.epson, columns: Self.rawColumns)
            } else if formats().contains(PrintDocument.pdfFormat) {
                .pdf
            } else {
                .text(columns: Self.textColumns(of: defaultMedium))
            }
        return PrinterCapabilities(
            name: queue.name, language: language, media: media(), defaultMedium: defaultMedium,
            canConfirm: queue.confirms)
    }

    /// The columns of a receipt printer about which nobody has said more: fewer than most on 80 mm have, so that no line
    /// is broken.
    private static let rawColumns = 42

    /// CUPS sets text with ten letters an inch.
    private static func textColumns(of medium: PrintMedium?) -> Int {
        guard let medium else { return 80 }
        return min(80, max(24, medium.width / 254))
    }

    /// The MIME types that the queue takes. CUPS names every type that it knows for a raw queue, which converts nothing:
    /// its printer would put the bytes of a PDF on paper as letters.
    private borrowing func formats() -> [String] {
        guard !queue.isRaw else { return [PrintDocument.rawFormat] }
        guard let attribute = cups.cupsFindDestSupported(http, destination, information, "document-format") else {
            return []
        }
        return connection.strings(attribute)
    }

    private borrowing func media() -> [PrintMedium] {
        let count = cups.cupsGetDestMediaCount(http, destination, information, 0)
        var media: [PrintMedium] = []
        for index in 0..<max(0, count) {
            var size = cups_size_t()
            guard cups.cupsGetDestMediaByIndex(http, destination, information, index, 0, &size) != 0 else { continue }
            media.append(PrintMedium(size))
        }
        return media
    }

    private borrowing func defaultMedium() -> PrintMedium? {
        var size = cups_size_t()
        guard cups.cupsGetDestMediaDefault(http, destination, information, 0, &size) != 0 else { return nil }
        return PrintMedium(size)
    }

    // MARK: Printing

    borrowing func submit(_ document: PrintDocument, options: PrintOptions) throws(PrinterError) -> PrintJob {
        let formats = formats()
        guard formats.contains(document.format) else {
            throw .unsupportedFormat(document.format, printer: queue.name, supported: formats)
        }
        let medium: PrintMedium? =
            if let name = options.medium, !queue.isRaw { try capabilities().medium(named: name) } else { nil }
        var list: UnsafeMutablePointer<cups_option_t>?
        var count = cups.cupsAddOption("document-format", document.format, 0, &list)
        if options.copies > 1 { count = cups.cupsAddOption("copies", String(options.copies), count, &list) }
        if let medium { count = cups.cupsAddOption("media", medium.name, count, &list) }
        defer { cups.cupsFreeOptions(count, list) }
        var id: Int32 = 0
        let created = cups.cupsCreateDestJob(http, destination, information, &id, document.title, count, list)
        guard created == IPP_STATUS_OK || created == IPP_STATUS_OK_IGNORED_OR_SUBSTITUTED else {
            throw .rejected(printer: queue.name, message: connection.lastError)
        }
        try send(document, job: id)
        return PrintJob(id: id, printer: queue.name, state: .pending)
    }

    private borrowing func send(_ document: PrintDocument, job: Int32) throws(PrinterError) {
        var status = cups.cupsStartDestDocument(
            http, destination, information, job, document.title, document.format, 0, nil, 1)
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
            // A job without its document would wait in the queue for ever.
            _ = cups.cupsCancelDestJob(http, destination, job)
            throw .rejected(printer: queue.name, message: message)
        }
    }
}

extension PrintMedium {
    init(_ size: cups_size_t) {
        let name = withUnsafeBytes(of: size.media) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        self.init(name: name, width: Int(size.width), length: Int(size.length))
    }
}
