/// A printer that can be selected by name: a queue of the print server, or a configured network printer.
public struct PrintQueue: Hashable, Sendable {
    /// The `printer-state` of RFC 8011 §5.4.11.
    public enum State: String, Hashable, Sendable {
        case idle, processing, stopped
        /// The printer has not been queried.
        case unknown

        /// - Parameter number: The value of the enumeration in RFC 8011, 3...5.
        public init?(number: Int) {
            switch number {
            case 3: self = .idle
            case 4: self = .processing
            case 5: self = .stopped
            default: return nil
            }
        }
    }

    /// How the printer is reached.
    public enum Kind: String, Hashable, Sendable {
        /// Through the print server.
        case queue
        /// Directly over the network.
        case network
    }

    public var name: String
    public var kind: Kind
    /// Whether it is the default printer.
    public var isDefault: Bool
    public var state: State
    public var isAcceptingJobs: Bool
    /// `printer-state-reasons`, in the server's keywords.
    public var reasons: [String]
    /// The message of the printer or the server, human-readable.
    public var message: String?

    /// The printer's URI without credentials; nil when unknown.
    public var address: String?
    /// Maker and model, as reported by the printer or its driver.
    public var model: String?

    /// Describes a printer as its print server reports it; what it does not tell is nil or empty.
    public init(
        name: String, kind: Kind = .queue, isDefault: Bool, state: State, isAcceptingJobs: Bool,
        reasons: [String] = [], message: String? = nil, address: String? = nil, model: String? = nil
    ) {
        (self.name, self.kind, self.isDefault, self.state) = (name, kind, isDefault, state)
        (self.address, self.model) = (address, model)
        (self.isAcceptingJobs, self.reasons, self.message) = (isAcceptingJobs, reasons, message)
    }

    /// Whether "completed" means printed: the server receives the printer's own confirmation, as with IPP. All other
    /// links (`socket`, `usb`, `lpd`, a file) only accept bytes.
    var confirms: Bool {
        guard let address, let colon = address.firstIndex(of: ":") else { return false }
        switch address[..<colon] {
        case "ipp", "ipps", "http", "https", "implicitclass": return true
        // Announced by DNS-SD: the service type is part of the name.
        case "dnssd": return address.contains("._ipp")
        default: return false
        }
    }

    /// Whether the queue passes bytes on unchanged (a raw queue). The only sign of it is the model name that CUPS gives
    /// to such a queue.
    var isRaw: Bool { model == "Local Raw Printer" }

    /// Removes the user information from a URI: what precedes the @ of its authority (RFC 3986 §3.2.1).
    static func withoutCredentials(_ address: String) -> String {
        guard let start = address.firstRange(of: "://")?.upperBound else { return address }
        let end = address[start...].firstIndex { "/?#".contains($0) } ?? address.endIndex
        guard let mark = address[start..<end].lastIndex(of: "@") else { return address }
        return String(address[..<start] + address[address.index(after: mark)...])
    }
}

/// The documents and media that a printer takes, and whether it confirms jobs.
public struct PrinterCapabilities: Hashable, Sendable, Codable {
    /// The language of a document for the printer.
    public enum Language: Hashable, Sendable, Codable {
        /// Pages (`application/pdf`) in the size of a medium.
        case pdf
        /// A receipt printer's own commands, and its number of columns.
        case escpos(PrinterFamily, columns: Int)
        /// Lines of text (`text/plain`, UTF-8).
        case text(columns: Int)
    }

    /// The printer's name; the default printer's name when none was given.
    public var name: String
    public var language: Language
    /// The MIME types of documents that it takes, starting with those that this program produces.
    public var formats: [String]
    /// The paper sizes that it supports; empty when the printer does not report them, as receipt printers do not.
    public var media: [PrintMedium]
    /// The loaded medium; nil when the printer does not report it.
    public var defaultMedium: PrintMedium?
    /// Whether its "completed" means printed: the printer confirms jobs (IPP, or a receipt printer that answers status
    /// queries). On a one-way link it only means that the bytes were accepted.
    public var canConfirm: Bool

    /// Describes what a printer takes. `formats` are MIME types; what it does not tell is nil or empty.
    public init(
        name: String, language: Language, formats: [String] = [], media: [PrintMedium] = [],
        defaultMedium: PrintMedium? = nil, canConfirm: Bool
    ) {
        (self.name, self.language, self.canConfirm) = (name, language, canConfirm)
        (self.formats, self.media, self.defaultMedium) = (formats, media, defaultMedium)
    }

    /// Finds the requested medium: by the printer's own name, or by the nearest size to a well-known size
    /// (``PrintMedium/wellKnown(_:)``).
    ///
    /// - Throws: ``PrinterError/unsupportedMedium(_:printer:supported:)``
    public func medium(named name: String) throws(PrinterError) -> PrintMedium {
        if let medium = media.first(where: { $0.name == name }) { return medium }
        guard let wanted = PrintMedium.wellKnown(name), let medium = wanted.nearest(in: media) else {
            throw .unsupportedMedium(name, printer: self.name, supported: media.map(\.name))
        }
        return medium
    }
}

/// A paper size.
public struct PrintMedium: Hashable, Sendable, Codable {
    /// The printer's name for it: that of PWG 5101.1, such as `iso_a4_210x297mm`, or a name of its own.
    public var name: String
    /// In hundredths of a millimeter, as in IPP.
    public var width: Int
    /// In hundredths of a millimeter; for a roll, the longest page.
    public var length: Int

    /// Takes a name, such as one of PWG 5101.1, and the size in hundredths of a millimeter.
    public init(name: String, width: Int, length: Int) {
        (self.name, self.width, self.length) = (name, width, length)
    }

    /// The maximum width of a receipt printer's roll, in hundredths of a millimeter; sheets are wider.
    private static let widestRoll = 9000

    public var isRoll: Bool { width <= Self.widestRoll }

    /// Returns one of the well-known sizes: `58mm`, `80mm`, `a4`, `letter`; nil for any other name.
    public static func wellKnown(_ name: String) -> PrintMedium? {
        switch name.lowercased() {
        case "58mm": PrintMedium(name: "58mm", width: 5800, length: 29_700)
        case "80mm": PrintMedium(name: "80mm", width: 8000, length: 29_700)
        case "a4": PrintMedium(name: "iso_a4_210x297mm", width: 21_000, length: 29_700)
        case "letter": PrintMedium(name: "na_letter_8.5x11in", width: 21_590, length: 27_940)
        default: nil
        }
    }

    /// Returns the medium that is nearest in size. For a roll only the width counts, and the longest page is chosen; a
    /// sheet matches only when it differs by less than 5 mm in each direction, so that A4 does not match letter.
    func nearest(in media: [PrintMedium]) -> PrintMedium? {
        let tolerance = 500
        let near = media.filter { medium in
            medium.isRoll == isRoll && abs(medium.width - width) < tolerance
                && (isRoll || abs(medium.length - length) < tolerance)
        }
        return near.min { first, second in
            let (one, other) = (abs(first.width - width), abs(second.width - width))
            return one != other ? one < other : first.length > second.length
        }
    }
}

/// The command set of a receipt printer.
public enum PrinterFamily: String, Hashable, Sendable, Codable, CaseIterable {
    /// Epson's ESC/POS, which most other printers understand as well.
    case epson
    /// Star line mode.
    case star
}
