import Money
public import SmartCard

/// Decodes EMV data into text. Handles arbitrary bytes without failing.
public enum EMVDecoder {
    /// The maximum length of the input, in bytes.
    public static let maximumLength = 65_536
    /// The maximum nesting depth of templates.
    static let maximumDepth = 16

    /// Decodes `bytes` as `subject`, or as their content suggests.
    ///
    /// - Parameters:
    ///   - bytes: at most ``maximumLength``.
    ///   - subject: the kind of data; nil to guess.
    ///   - brand: the card's brand, which determines the meaning of proprietary data; nil to use an AID in the data.
    ///   - list: the data object list that the data of a command answers: PDOL, CDOL1, CDOL2, or DDOL; nil to
    ///     recognize a usual one.
    /// - Returns: nil if `subject` is nil and the bytes match no known format.
    public static func decode(
        _ bytes: [UInt8], as subject: DecodingSubject? = nil, brand: CardBrand? = nil,
        answering list: DataObjectList? = nil
    ) -> Decoding? {
        guard let taken = subject ?? SubjectGuess.subject(of: bytes) else { return nil }
        var reading = Reading(bytes, brand: brand, requestedList: list)
        let values: [DecodedValue]
        if bytes.count > maximumLength {
            reading.stop(at: maximumLength, "more than \(maximumLength) bytes")
            values = []
        } else {
            values = reading.values(as: taken)
        }
        return Decoding(
            subject: taken, isGuessed: subject == nil, length: bytes.count, values: values, problem: reading.problem)
    }
}

/// The result of decoding.
public struct Decoding: Hashable, Sendable {
    /// The kind of data that the bytes were decoded as.
    public let subject: DecodingSubject
    /// Whether the kind of data was guessed.
    public let isGuessed: Bool
    /// The length of the input, in bytes.
    public let length: Int
    /// The decoded values, up to the problem if there is one.
    public let values: [DecodedValue]
    /// Why decoding stopped early; nil if all bytes were decoded.
    public let problem: DecodingProblem?
}

/// Why decoding stopped, and at which offset. Contains no values.
public struct DecodingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset of the first byte or data object that cannot be decoded.
    public let offset: Int
    /// The problem.
    public let reason: String

    public var description: String { "\(reason), at offset \(offset)" }
}

/// Context from other data objects: an amount needs a currency, proprietary data the brand of the card.
struct EMVDecodingContext {
    private(set) var brand: CardBrand?
    /// 5F2A
    private(set) var transactionCurrency: Currency?
    /// 9F42
    private(set) var applicationCurrency: Currency?
    /// 9F11
    private(set) var codeTable: CodeTable?
    /// Whether the data are of a transaction with kernel 8, which lays out some data elements otherwise.
    private(set) var isKernel8 = false
    /// Whether the data have an object that only contact transactions have: TDOL, CDOL2, or TSI.
    private(set) var isContact = false

    /// Collects the context from data objects at every level, from a command SELECT with its response, and from a list
    /// that a command answers; other bytes give an empty context.
    init(_ bytes: [UInt8], brand: CardBrand?, answering list: DataObjectList? = nil) {
        self.brand = brand
        if let list { isKernel8 = Self.isOfKernel8(list) }
        let length = SubjectGuess.commandLength(of: bytes) ?? 0
        if length > 0, let command = try? CommandAPDU(bytes: Array(bytes[..<length])),
            EMVInstruction(class: command.cla, code: command.ins) == .select
        {
            self.brand = brand ?? CardBrand(aid: command.data)
        }
        look(through: bytes, length..<bytes.count, EMVDecoder.maximumDepth)
    }

    private mutating func look(through bytes: [UInt8], _ range: Range<Int>, _ depth: Int) {
        guard depth > 0 else { return }
        var reader = BERTLVReader(range)
        while let object = try? reader.next(in: bytes.span) {
            let value = bytes[object.value]
            switch object.tag {
            case EMVTag.dfName, EMVTag.adfName, EMVTag.terminalAID: brand = brand ?? CardBrand(aid: Array(value))
            case EMVTag.currency: transactionCurrency = transactionCurrency ?? Self.currency(value)
            case EMVTag.applicationCurrency: applicationCurrency = applicationCurrency ?? Self.currency(value)
            case EMVTag.issuerCodeTableIndex: codeTable = codeTable ?? value.first.flatMap(CodeTable.init)
            case EMVTag.tdol, EMVTag.cdol2, EMVTag.statusInformation: isContact = true
            case EMVTag.verificationResults: isKernel8 = isKernel8 || Kernel8Format.isOf(results: value)
            case EMVTag.pdol, EMVTag.cdol1:
                isKernel8 = isKernel8 || (try? DataObjectList(Array(value))).map(Self.isOfKernel8) ?? false
            case _ where Kernel8DataObject.isOwn(object.tag):
                isKernel8 = true
                if object.tag.isConstructed { look(through: bytes, object.value, depth - 1) }
            default: if object.tag.isConstructed { look(through: bytes, object.value, depth - 1) }
            }
        }
    }

    /// Whether a list asks for what only kernel 8 has.
    private static func isOfKernel8(_ list: DataObjectList) -> Bool {
        list.entries.contains { Kernel8DataObject.isOwn($0.tag) }
    }

    private static func currency(_ value: ArraySlice<UInt8>) -> Currency? {
        guard value.count == 2, let number = BinaryCodedDecimal.decode(value) else { return nil }
        return Currency(numericCode: UInt16(number))
    }
}

/// The kinds of data that can be decoded.
public enum DecodingSubject: Hashable, Sendable {
    /// BER-TLV data objects.
    case tlv
    /// An answer to reset.
    case atr
    /// A data object list: tags and lengths.
    case dol
    /// A command to the card.
    case command
    /// A card's answer: data and status word.
    case response
    /// A command and the card's answer to it.
    case exchange
    /// The card status update of an issuer, which has no tag of its own.
    case cardStatusUpdate
    /// The value of a data element, without tag and length.
    case value(of: BERTag)

    /// Finds a subject by one of ``names``, or by the one to four bytes of a tag in hexadecimal digits.
    public init?(name: String) {
        if let named = Self.named.first(where: { $0.name == name.lowercased() }) {
            self = named.subject
            return
        }
        let digits = name.utf8.count
        guard (2...8).contains(digits), digits.isMultiple(of: 2), let number = UInt32(name, radix: 16), number > 0,
            name.utf8.first != UInt8(ascii: "+")
        else { return nil }
        let tag = BERTag(rawValue: number)
        var reader = BERTLVReader(0..<tag.bytes.count)
        guard tag.bytes.count == digits / 2, (try? reader.nextTag(in: tag.bytes.span)) == tag else { return nil }
        self = .value(of: tag)
    }

    /// The names of subjects, besides tags.
    public static var names: [String] { named.map(\.name) }

    /// The name of a subject, or the tag of the data element.
    public var name: String {
        if let named = Self.named.first(where: { $0.subject == self }) { return named.name }
        guard case .value(let tag) = self else { return "" }
        return tag.description
    }

    private static let named: [(name: String, subject: DecodingSubject)] = [
        ("tlv", .tlv), ("atr", .atr), ("dol", .dol), ("command", .command), ("response", .response),
        ("exchange", .exchange), ("aip", .value(of: EMVTag.interchangeProfile)),
        ("auc", .value(of: EMVTag.usageControl)), ("tvr", .value(of: EMVTag.verificationResults)),
        ("tsi", .value(of: EMVTag.statusInformation)), ("cvm-list", .value(of: EMVTag.cvmList)),
        ("cvm-results", .value(of: EMVTag.cvmResults)), ("cid", .value(of: EMVTag.cryptogramInformation)),
        ("iad", .value(of: EMVTag.issuerApplicationData)), ("ttq", .value(of: 0x9F66)), ("ctq", .value(of: 0x9F6C)),
        ("terminal-capabilities", .value(of: EMVTag.capabilities)),
        ("additional-terminal-capabilities", .value(of: EMVTag.additionalCapabilities)),
        ("terminal-type", .value(of: EMVTag.terminalType)), ("afl", .value(of: EMVTag.fileLocator)),
        ("arc", .value(of: EMVTag.responseCode)), ("csu", .cardStatusUpdate),
    ]
}
