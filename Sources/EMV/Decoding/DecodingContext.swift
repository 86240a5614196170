internal import Amounts
internal import SmartCard

/// What data objects say of each other: an amount needs a currency, private data need to know whose card it is.
struct DecodingContext {
    private(set) var brand: CardBrand?
    /// 5F2A
    private(set) var transactionCurrency: Currency?
    /// 9F42
    private(set) var applicationCurrency: Currency?
    /// 9F11
    private(set) var codeTable: CodeTable?

    /// Looks through data objects at every level; bytes that are none give an empty context.
    init(_ bytes: [UInt8], brand: CardBrand?) {
        self.brand = brand
        look(through: bytes, 0..<bytes.count, EMVDecoder.maximumDepth)
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
            default: if object.tag.isConstructed { look(through: bytes, object.value, depth - 1) }
            }
        }
    }

    private static func currency(_ value: ArraySlice<UInt8>) -> Currency? {
        guard value.count == 2, let number = BinaryCodedDecimal.decode(value) else { return nil }
        return Currency(numericCode: UInt16(number))
    }
}
