internal import SmartCard

/// Where the parts of issuer application data are (tag 9F10).
struct IssuerApplicationDataLayout {
    enum Content {
        case keyIndex
        /// What is known of the version.
        case version(String?)
        /// nil: what the bits mean is not public.
        case results(BitTable?)
        case known(String)
        case free(String)
    }

    struct Field {
        var range: Range<Int>
        var content: Content
    }

    let name: String
    let fields: [Field]

    /// Finds the layout of a value; nil when it is none that is known. The brand is nil when it is not known
    /// whose card it is.
    init?(_ value: ArraySlice<UInt8>, brand: CardBrand?) {
        let bytes = Array(value)
        guard
            let layout = Self.commonCore(bytes) ?? Self.visaDevice(bytes, brand) ?? Self.visaFamily(bytes, brand)
                ?? Self.mChip(bytes, brand)
        else { return nil }
        self = layout
    }

    private init(_ name: String, _ fields: [(Range<Int>, Content)]) {
        self.name = name
        self.fields = fields.filter { !$0.0.isEmpty }.map { Field(range: $0.0, content: $0.1) }
    }

    /// EMV Book 3 annex C9: 32 bytes, 0F before each of two halves.
    private static func commonCore(_ bytes: [UInt8]) -> Self? {
        guard bytes.count == 32, bytes[0] == 0x0F, bytes[16] == 0x0F else { return nil }
        let format = bytes[1] & 0xF0 == 0xA0 ? "CCD version 4.1" : "unknown format"
        let cipher = bytes[1] & 0x0F == 5 ? ", TDES" : bytes[1] & 0x0F == 6 ? ", AES" : ""
        return Self(
            "common core definitions",
            [
                (1..<2, .version(format + cipher)), (2..<3, .keyIndex),
                (3..<8, .results(.commonCoreVerificationResults)),
                (8..<16, .known("counters")), (17..<32, .free("issuer discretionary data")),
            ])
    }

    /// Visa's formats 2 and 4: 1F, then the version before the key index.
    private static func visaDevice(_ bytes: [UInt8], _ brand: CardBrand?) -> Self? {
        guard bytes.count == 32, bytes[0] == 0x1F, brand == nil || isVisa(brand) else { return nil }
        return Self(
            "Visa, format \(bytes[1] >> 4)",
            [
                (1..<2, .version("CVN \([bytes[1]].hexadecimal) (hexadecimal)")), (2..<3, .keyIndex),
                (3..<8, .results(.visaDeviceVerificationResults)), (8..<32, .free("issuer discretionary data")),
            ])
    }

    /// Visa's formats 0, 1 and 3, which others took over: 06 or 07, key index, version, and results behind their
    /// length 03. UnionPay has the algorithm behind them.
    private static func visaFamily(_ bytes: [UInt8], _ brand: CardBrand?) -> Self? {
        guard bytes.count >= 7, bytes[3] == 0x03 else { return nil }
        let head: [(Range<Int>, Content)] = [(1..<2, .keyIndex)]
        if bytes[0] == 0x07, bytes.count >= 8, brand == nil || brand == .unionPay {
            let algorithms: [UInt8: String] = [1: "TDES", 4: "SM4"]
            let algorithm = algorithms[bytes[7]].map { " (\($0))" } ?? ""
            return Self(
                "UnionPay",
                head + [
                    (2..<3, .version(nil)), (4..<7, .results(.visaVerificationResults)),
                    (7..<8, .known("algorithm" + algorithm)),
                ] + discretionary(bytes, from: 8))
        }
        guard bytes[0] == 0x06 else { return nil }
        if brand == .americanExpress {
            return Self(
                "American Express",
                head + [(2..<3, .version(nil)), (4..<7, .results(nil))] + discretionary(bytes, from: 7))
        }
        guard brand == nil || isVisa(brand) else { return nil }
        return Self(
            "Visa, format \(bytes[2] >> 4)",
            head + [(2..<3, .version(visaVersion(bytes[2]))), (4..<7, .results(.visaVerificationResults))]
                + discretionary(bytes, from: 7))
    }

    private static func isVisa(_ brand: CardBrand?) -> Bool { brand == .visa || brand == .usCommonDebit }

    private static func visaVersion(_ version: UInt8) -> String {
        let words: [UInt8: String] = [
            10: "no session key, results in the cryptogram", 17: "short data in the cryptogram (contactless)",
            18: "common session key, whole IAD in the cryptogram",
        ]
        return "CVN \(version)" + (words[version].map { ": " + $0 } ?? "")
    }

    /// A length and as many bytes, or what there is.
    private static func discretionary(_ bytes: [UInt8], from start: Int) -> [(Range<Int>, Content)] {
        guard start < bytes.count else { return [] }
        let end = min(bytes.count, start + 1 + Int(bytes[start]))
        return [
            ((start + 1)..<end, .free("issuer discretionary data")),
            (end..<bytes.count, .free("bytes behind the issuer discretionary data")),
        ]
    }

    /// M/Chip 4 and M/Chip Advance: key index, version 1x, six bytes of results, DAC or ICC dynamic number, one or
    /// two sets of counters, perhaps the last online ATC.
    private static func mChip(_ bytes: [UInt8], _ brand: CardBrand?) -> Self? {
        guard [18, 20, 26, 28].contains(bytes.count), bytes[1] & 0xF0 == 0x10, brand == nil || brand == .mastercard
        else { return nil }
        let keys: [UInt8: String] = [0: "Mastercard session key", 4: "common session key"]
        let counters = bytes[1] & 0x01 == 0 ? "" : ", counters in the cryptogram"
        // Lengths 20 and 28 are 18 and 26 with two bytes more.
        let end = bytes.count == 20 || bytes.count == 28 ? bytes.count - 2 : bytes.count
        return Self(
            bytes.count == 18 ? "M/Chip 4 or M/Chip Advance" : "M/Chip Advance",
            [
                (0..<1, .keyIndex), (1..<2, .version((keys[bytes[1] & 0x06] ?? "reserved session key") + counters)),
                (2..<8, .results(.mChipVerificationResults)), (8..<10, .known("DAC or ICC dynamic number")),
                (10..<end, .known("counters, plain or enciphered")),
                (end..<bytes.count, .known("last online ATC")),
            ])
    }
}
