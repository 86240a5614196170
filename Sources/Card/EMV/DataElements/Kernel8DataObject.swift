public import SmartCard

/// A data object of kernel 8: name, format, length, and who gives it (Book C-8 annex A).
///
/// The lengths are those of one implementation, which follows version 1.1 of the book. Where the book has no length for
/// an object of contact cards, that of contact cards is used. ``DataElement/described(_:)`` finds the objects that only
/// kernel 8 has, too.
public struct Kernel8DataObject: Hashable, Sendable {
    /// Who gives the value.
    public enum Source: String, Hashable, Sendable {
        /// The card.
        case card
        /// The configuration of reader and kernel.
        case reader
        /// The terminal, for each transaction.
        case terminal
        /// The kernel makes it.
        case kernel
    }

    public let tag: BERTag
    /// The name of the book, in lower case.
    public let name: String
    public let format: DataElement.Format
    /// The allowed lengths of the value field, in bytes.
    public let lengths: ClosedRange<Int>
    public let source: Source
    /// Whether the value identifies the cardholder or the account and is therefore kept in wiped memory.
    public let isSecret: Bool

    /// The data object with `tag`; nil if kernel 8 does not use it. Unknown objects of a card are skipped.
    public static subscript(tag: BERTag) -> Kernel8DataObject? { byTag[tag] }

    /// All data objects, in no particular order.
    public static var all: [Kernel8DataObject] { Array(byTag.values) }

    /// Checks a data object that a card sends, in any of its answers.
    ///
    /// - Parameters:
    ///   - tag: its tag. An unknown one is fine.
    ///   - length: the length of its value, in bytes.
    /// - Throws: ``DataObjectError`` (a parsing error, L2 04): the object is not for the card to give, or has a
    ///   length that is not allowed.
    public static func checkFromCard(_ tag: BERTag, length: Int) throws(DataObjectError) {
        guard let object = byTag[tag] else { return }
        guard object.source == .card else { throw .notForTheCardToGive(tag) }
        guard object.lengths.contains(length) else { throw .wrongLength(tag) }
    }

    /// Whether only kernel 8 has an object with this tag, of more than one byte: DA and 9E mean other things elsewhere.
    static func isOwn(_ tag: BERTag) -> Bool { tag.rawValue > 0xFF && ownTags.contains(tag) }

    /// What only kernel 8 has, as data elements.
    static var elements: [DataElement] {
        own.map { object in
            DataElement(
                tag: object.tag, name: object.name, format: object.format, lengths: object.lengths,
                source: object.source == .card ? .card : .terminal, isSecret: object.isSecret)
        }
    }

    private static let ownTags = Set(own.map(\.tag))

    private static let byTag: [BERTag: Kernel8DataObject] = {
        var objects: [BERTag: Kernel8DataObject] = [:]
        for object in own { objects[object.tag] = object }
        for (tag, shortest, longest) in shared {
            guard let element = DataElement.described(BERTag(rawValue: tag)) else { continue }
            objects[element.tag] = Kernel8DataObject(
                tag: element.tag, name: element.name, format: element.format, lengths: shortest...longest,
                source: source(of: element), isSecret: element.isSecret)
        }
        return objects
    }()

    /// The kernel makes some of what the terminal of a contact card gives.
    private static func source(of element: DataElement) -> Source {
        switch element.tag {
        case EMVTag.verificationResults, EMVTag.capabilities, EMVTag.cvmResults, EMVTag.unpredictableNumber: .kernel
        default: element.source == .card ? .card : .terminal
        }
    }

    /// One row: tag, name, format, shortest and longest value field in bytes, source.
    private static func row(
        _ tag: UInt32, _ name: String, _ format: DataElement.Format, _ shortest: Int, _ longest: Int, _ source: Source
    ) -> Kernel8DataObject {
        Kernel8DataObject(
            tag: BERTag(rawValue: tag), name: name, format: format, lengths: shortest...longest, source: source,
            isSecret: false)
    }

    /// What only kernel 8 has.
    private static let own: [Kernel8DataObject] = [
        row(0x9E, "kernel key data", .b, 64, 132, .kernel),
        row(0x9F2B, "kernel qualifier", .b, 8, 8, .kernel),
        row(0x9F2C, "card qualifier", .b, 7, 7, .card),
        row(0x9F_8102, "cardholder verification decision", .b, 1, 1, .card),
        row(0x9F_8103, "card key data", .b, 64, 132, .card),
        row(0x9F_8104, "card TVR", .b, 5, 5, .card),
        row(0x9F_8105, "EDA-MAC", .b, 8, 8, .card),
        row(0x9F_8106, "authenticated application data", .b, 0, 128, .card),
        row(0x9F_8107, "IAD MAC offset", .b, 1, 1, .card),
        row(0x9F_8108, "restart indicator", .b, 2, 5, .card),
        row(0x9F_8109, "IAD-MAC", .b, 8, 8, .kernel),
        row(0x9F_810A, "extended SDA tag list", .b, 0, 255, .card),
        row(0x9F_810B, "ICC ECC public key for RSA certificates", .b, 32, 66, .card),
        row(0x9F_810C, "relay resistance time excess", .b, 2, 2, .kernel),
        row(0x9F_810D, "card capabilities information", .b, 2, 2, .card),
        row(0x9F_8111, "data envelope 1", .b, 0, 243, .card),
        row(0x9F_8112, "data envelope 2", .b, 0, 243, .card),
        row(0x9F_8113, "data envelope 3", .b, 0, 243, .card),
        row(0x9F_8114, "data envelope 4", .b, 0, 243, .card),
        row(0x9F_8115, "data envelope 5", .b, 0, 243, .card),
        row(0x9F_8116, "data envelope 6", .b, 0, 243, .card),
        row(0x9F_8117, "data envelope 7", .b, 0, 243, .card),
        row(0x9F_8118, "data envelope 8", .b, 0, 243, .card),
        row(0x9F_8119, "data envelope 9", .b, 0, 243, .card),
        row(0x9F_811A, "data envelope 10", .b, 0, 243, .card),
        row(0xBF_8101, "data to send", .b, 0, 65535, .kernel),
        row(0xBF_8102, "data record", .b, 0, 65535, .kernel),
        row(0xBF_8103, "discretionary data", .b, 0, 65535, .kernel),
        row(0xBF_8104, "data envelopes to write", .b, 0, 65535, .terminal),
        row(0x9F_8201, "data needed", .b, 0, 65535, .kernel),
        row(0x9F_8202, "proceed to first write flag", .b, 1, 1, .terminal),
        row(0x9F_8203, "tags to read", .b, 0, 65535, .terminal),
        row(0x9F_8204, "error indication", .b, 6, 6, .kernel),
        row(0x9F_8205, "user interface request data 1", .b, 13, 13, .kernel),
        row(0x9F_8206, "card data input capability", .b, 1, 1, .reader),
        row(0x9F_8207, "CVM capability, CVM required", .b, 1, 1, .reader),
        row(0x9F_8208, "CVM capability, no CVM required", .b, 1, 1, .reader),
        row(0x9F_8209, "kernel configuration", .b, 2, 2, .reader),
        row(0x9F_820A, "security capability", .b, 1, 1, .reader),
        row(0x9F_820B, "terminal action code denial", .b, 5, 5, .reader),
        row(0x9F_820C, "terminal action code online", .b, 5, 5, .reader),
        row(0x9F_820D, "reader contactless floor limit", .n, 6, 6, .reader),
        row(0x9F_820E, "reader CVM required limit", .n, 6, 6, .reader),
        row(0x9F_820F, "time-out value in ms", .b, 2, 2, .reader),
        row(0x9F_8210, "outcome parameter set", .b, 8, 8, .kernel),
        row(0x9F_8211, "message hold time in 100 ms", .n, 3, 3, .reader),
        row(0x9F_8212, "hold time value in 100 ms", .b, 1, 1, .reader),
        row(0x9F_8213, "minimum relay resistance grace period in 100 µs", .b, 2, 2, .reader),
        row(0x9F_8214, "maximum relay resistance grace period in 100 µs", .b, 2, 2, .reader),
        row(0x9F_8215, "terminal expected transmission time for relay resistance C-APDU in 100 µs", .b, 2, 2, .reader),
        row(0x9F_8216, "terminal expected transmission time for relay resistance R-APDU in 100 µs", .b, 2, 2, .reader),
        row(0x9F_8217, "relay resistance accuracy threshold in 100 µs", .b, 2, 2, .reader),
        row(0x9F_8218, "relay resistance transmission time mismatch threshold in percent", .b, 1, 1, .reader),
        row(0x9F_8219, "user interface request data 2", .b, 13, 13, .kernel),
        row(0x9F_821A, "kernel reserved TVR mask", .b, 5, 5, .reader),
        row(0x9F_821B, "write data status", .b, 1, 1, .kernel),
        row(0x9F_821C, "read data status", .b, 1, 1, .kernel),
        row(0x9F_821D, "message identifiers on restart", .b, 0, 32, .reader),
        row(0x9F_821E, "default IAD MAC offset", .b, 1, 1, .reader),
        row(0x9F_821F, "discretionary data tag list", .b, 0, 255, .reader),
        row(0x9F_8220, "default CDOL1", .b, 0, 250, .reader),
        row(0x9F_8221, "tag mapping list", .b, 0, 255, .reader),
        row(0xDA, "record, enciphered", .b, 0, 255, .card),
    ]

    /// Objects that contact cards have too, with the lengths of kernel 8: tag, shortest and longest value field in
    /// bytes.
    private static let shared: [(tag: UInt32, shortest: Int, longest: Int)] = [
        (0x42, 3, 3), (0x4F, 5, 16), (0x50, 0, 16), (0x57, 0, 19), (0x5A, 1, 10), (0x6F, 0, 250), (0x77, 0, 253),
        (0x82, 2, 2), (0x84, 5, 16), (0x8C, 0, 250), (0x8F, 1, 1), (0x90, 0, 248), (0x92, 0, 255), (0x94, 4, 248),
        (0x95, 5, 5), (0x9A, 3, 3), (0x9C, 1, 1), (0xA5, 0, 240), (0x5F20, 2, 26), (0x5F24, 3, 3), (0x5F2A, 2, 2),
        (0x5F2D, 2, 8), (0x5F30, 2, 2), (0x5F34, 1, 1), (0x5F36, 1, 1), (0x5F57, 1, 1), (0x9F02, 6, 6),
        (0x9F03, 6, 6), (0x9F06, 5, 16), (0x9F07, 2, 2), (0x9F09, 2, 2), (0x9F0A, 0, 255), (0x9F0C, 3, 4),
        (0x9F10, 0, 32), (0x9F11, 1, 1), (0x9F12, 0, 16), (0x9F15, 2, 2), (0x9F16, 15, 15), (0x9F19, 6, 6),
        (0x9F1A, 2, 2), (0x9F1C, 8, 8), (0x9F1D, 8, 8), (0x9F1E, 8, 8), (0x9F1F, 0, 54), (0x9F20, 0, 16),
        (0x9F21, 3, 3), (0x9F24, 29, 29), (0x9F26, 8, 8), (0x9F27, 1, 1), (0x9F32, 1, 3), (0x9F33, 3, 3),
        (0x9F34, 3, 3), (0x9F35, 1, 1), (0x9F36, 2, 2), (0x9F37, 4, 4), (0x9F38, 0, 240), (0x9F40, 5, 5),
        (0x9F42, 2, 2), (0x9F44, 1, 1), (0x9F46, 0, 248), (0x9F47, 1, 3), (0x9F48, 0, 255), (0x9F4D, 2, 2),
        (0x9F4E, 0, 252), (0xBF0C, 0, 220),
    ]
}
