import SmartCard
import Text

/// The layout of issuer application data (tag 9F10).
struct IssuerApplicationDataLayout {
    enum Content {
        case keyIndex
        /// The meaning of the version, if known.
        case version(String?)
        /// Card verification results; nil if the meaning of the bits is not public.
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

    /// Finds the layout that the applications of every payment system may have; nil if the value has another one.
    init?(commonCoreOf value: ArraySlice<UInt8>) {
        guard let layout = Self.commonCore(Array(value)) else { return nil }
        self = layout
    }

    /// Finds the layout of a value; nil if unknown. Pass nil for an unknown brand.
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

    /// Visa's formats 0, 1, and 3, also used by others: 06 or 07, key index, version, length 03, and results. UnionPay
    /// adds the algorithm.
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

    /// A length and as many bytes, or as many as there are.
    private static func discretionary(_ bytes: [UInt8], from start: Int) -> [(Range<Int>, Content)] {
        guard start < bytes.count else { return [] }
        let end = min(bytes.count, start + 1 + Int(bytes[start]))
        return [
            ((start + 1)..<end, .free("issuer discretionary data")),
            (end..<bytes.count, .free("bytes after the issuer discretionary data")),
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

/// Data exchanged between issuer and card.
extension Reading {
    /// Tag 91: an ARPC of method 1 with two bytes, or one of method 2 with a card status update (EMV Book 2 §8.2).
    ///
    /// The two bytes of method 1 are the authorization response code, or M/Chip's binary response code. Ten bytes can
    /// be a method 2 with two bytes of proprietary data too, but only if the issuer says that they follow. Which method
    /// it is depends on the payment system, so that the one shown for ten bytes is marked as a guess. M/Chip has only
    /// the first.
    ///
    /// - Returns: whether the layout is certain: the payment system is known, or the response code is one. Any other
    ///   value of this length would fit the second method, also an account number.
    func issuerAuthenticationData(_ value: inout DecodedValue, _ range: Range<Int>) -> Bool {
        let start = range.lowerBound
        let code = (start + 8)..<range.upperBound
        let isMastercard = context.brand == .mastercard
        // The first byte of M/Chip's code is a PIN try counter, and data after a card status update is announced in it.
        let isBinary = context.brand == nil && bytes[range].suffix(2).first ?? 0xFF <= 0x0F && bytes[start + 4] < 0x80
        func cryptogram(method: Int, length: Int) -> DecodedValue {
            let isGuess = range.count == 10 && !isMastercard
            return part(
                "ARPC, method \(method)", start..<(start + length),
                isGuess ? "if the payment system uses method \(method)" : nil)
        }
        if range.count == 10, !isMastercard, let words = responseCode(bytes[code]) {
            value.children = [
                cryptogram(method: 1, length: 8), part("authorisation response code", code, words),
            ]
            return true
        } else if range.count == 10, isMastercard || isBinary {
            value.children = [
                cryptogram(method: 1, length: 8),
                part("ARPC response code", code, bits: .mChipResponseCode),
            ]
        } else {
            value.children = [
                cryptogram(method: 2, length: 4), cardStatusUpdate(at: (start + 4)..<(start + 8)),
            ]
            if range.count > 8 {
                value.children.append(freePart("proprietary authentication data", (start + 8)..<range.upperBound))
            }
        }
        return context.brand != nil
    }

    func cardStatusUpdate(at range: Range<Int>) -> DecodedValue {
        var update = part("card status update", range, bits: .cardStatusUpdate)
        if range.count != 4 {
            (update.flags, update.problems) = ([], ["the length is 4 by the rules"])
            if CardDataMask.mayHoldAccountNumber(bytes[range]) { update.withhold("it may hold an account number") }
        }
        return update
    }

    /// Tag 9F5B: five bytes per script (EMV Book 4 annex A5); in a card's records what its payment system puts there.
    ///
    /// - Returns: whether it has such results.
    func scriptResults(_ value: inout DecodedValue, _ range: Range<Int>) -> Bool {
        let starts = stride(from: range.lowerBound, to: range.upperBound, by: 5)
        let isResults = range.count.isMultiple(of: 5) && starts.allSatisfy { bytes[$0] >> 4 <= 2 }
        guard isResults, context.brand != .americanExpress else {
            if context.brand == .mastercard {
                value.name = "DSDOL"
                list(&value, range)
                return false
            }
            (value.name, value.source) = (
                context.brand == .americanExpress ? value.name : "data of the payment system", .card
            )
            free(&value, range)
            return false
        }
        for (index, place) in starts.enumerated() {
            let first = bytes[place]
            let command = first & 0x0F
            let result =
                switch first >> 4 {
                case 0: "not performed"
                case 1: command == 0 ? "failed, at an unspecified command" : "failed at command \(command)"
                default: "successful"
                }
            value.children.append(part("script \(index + 1)", place..<(place + 5), result))
        }
        return true
    }

    /// With kernel 8 and an unknown payment system, nothing tells the systems' own layouts.
    private func issuerApplicationDataLayout(_ range: Range<Int>) -> IssuerApplicationDataLayout? {
        context.isKernel8 && context.brand == nil
            ? IssuerApplicationDataLayout(commonCoreOf: bytes[range])
            : IssuerApplicationDataLayout(bytes[range], brand: context.brand)
    }

    /// Tag 9F10: each payment system has its own layouts, recognized by brand, length, and fixed bytes.
    ///
    /// - Returns: whether the layout is known.
    func issuerApplicationData(_ value: inout DecodedValue, _ range: Range<Int>) -> Bool {
        let start = range.lowerBound
        guard let layout = issuerApplicationDataLayout(range) else {
            free(&value, range)
            return false
        }
        value.meaning = layout.name
        for field in layout.fields {
            let place = (start + field.range.lowerBound)..<(start + field.range.upperBound)
            let data = bytes[place]
            switch field.content {
            case .keyIndex: value.children.append(part("derivation key index", place, counter(data)))
            case .version(let words): value.children.append(part("cryptogram version number", place, words))
            case .results(let table):
                value.children.append(
                    table.map { part("card verification results", place, bits: $0) }
                        ?? part("card verification results", place))
            case .known(let name): value.children.append(part(name, place))
            case .free(let name): value.children.append(freePart(name, place))
            }
        }
        return true
    }
}
