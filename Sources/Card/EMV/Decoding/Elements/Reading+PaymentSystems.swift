import SmartCard

/// Tags that payment systems use differently.
extension Reading {
    /// Returns the name of a data element without a public definition.
    static func unknownName(_ tag: BERTag) -> String {
        DataElement.belongsToPaymentSystem(tag) ? "data of the payment system" : "unknown"
    }

    /// 9F66: four bytes of terminal transaction qualifiers, or two bytes of Mastercard's bit map.
    func transactionQualifiers(_ value: inout DecodedValue, _ range: Range<Int>) {
        if range.count == 4 {
            value.name = "terminal transaction qualifiers"
            value.flags = BitTable.terminalTransactionQualifiers.flags(of: bytes[range])
        } else {
            value.name = "PUNATC, track 2: positions of UN and ATC"
        }
    }

    /// 9F6C: a version number for Mastercard, otherwise card transaction qualifiers.
    func cardQualifiers(_ value: inout DecodedValue, _ range: Range<Int>) {
        if context.brand == .mastercard {
            value.name = "magnetic stripe version of the card"
            value.meaning = counter(bytes[range])
        } else {
            value.name = "card transaction qualifiers"
            value.flags = BitTable.cardTransactionQualifiers.flags(of: bytes[range])
        }
    }

    /// 9F6E: form factor (Visa), reader capabilities (American Express), third-party data (Mastercard).
    ///
    /// - Returns: whether the layout is known.
    func formFactor(_ value: inout DecodedValue, _ range: Range<Int>) -> Bool {
        switch context.brand {
        case .americanExpress where range.count == 4:
            value.name = "enhanced contactless reader capabilities"
            value.flags = BitTable.enhancedReaderCapabilities.flags(of: bytes[range])
        case .visa where range.count == 4, .usCommonDebit where range.count == 4, nil where range.count == 4:
            value.name = "form factor indicator"
            value.flags = BitTable.formFactorIndicator.flags(of: bytes[range])
        // Every country has three digits.
        case .mastercard where range.count >= 4:
            thirdPartyData(&value, range)
            return bytes[range.lowerBound] <= 0x09
        default:
            free(&value, range)
            return false
        }
        return true
    }

    /// 9F24: 29 letters and digits, which stand for an account and are not its number (EMVCo, payment account
    /// reference).
    func accountReference(_ value: inout DecodedValue, _ range: Range<Int>) -> Bool {
        value.meaning = printable(bytes[range]).map(quoted)
        let isReference = bytes[range].allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return range.count == 29 && isReference
    }

    /// 9F71 of American Express: like CVM results, with results of a mobile device (Contactless Book C-4 annex A).
    func mobileVerificationResults(_ value: inout DecodedValue, _ range: Range<Int>) {
        guard range.count == 3 else { return }
        let start = range.lowerBound
        let methods: [UInt8: String] = [0x01: "mobile CVM", 0x3F: "no CVM performed"]
        let results: [UInt8: String] = [0: "unknown", 1: "failed", 2: "successful", 3: "blocked"]
        value.children = [
            part("method", start..<(start + 1), methods[bytes[start]] ?? "reserved"),
            part("condition", (start + 1)..<(start + 2)),
            part("result", (start + 2)..<(start + 3), results[bytes[start + 2]] ?? "reserved"),
        ]
    }

    /// 9F62 of UnionPay.
    static let identityDocuments: [UInt8: String] = [
        0: "identity card", 1: "military identity card", 2: "passport", 3: "entry permit",
        4: "temporary identity card",
    ]

    /// Contactless Book C-2 annex A: country, identifier, device type if the identifier says so, data.
    private func thirdPartyData(_ value: inout DecodedValue, _ range: Range<Int>) {
        let start = range.lowerBound
        value.name = "third party data"
        value.children = [
            part("country", start..<(start + 2), country(bytes[start..<(start + 2)])),
            part("unique identifier", (start + 2)..<(start + 4)),
        ]
        var rest = start + 4
        if bytes[start + 2] & 0x80 == 0, rest + 2 <= range.upperBound {
            value.children.append(part("device type", rest..<(rest + 2), printable(bytes[rest..<(rest + 2)])))
            rest += 2
        }
        if rest < range.upperBound { value.children.append(freePart("proprietary data", rest..<range.upperBound)) }
    }

    /// Tag 80: the response of GET PROCESSING OPTIONS if the bytes after the first two are a file locator, otherwise
    /// that of GENERATE AC, or a signature, which is as long as an RSA key (EMV Book 3 §6.5.5.4, §6.5.8.4, §6.5.9.4).
    ///
    /// - Returns: whether it is one of them.
    mutating func responseFormat1(_ value: inout DecodedValue, _ range: Range<Int>) -> Bool {
        let start = range.lowerBound
        func place(_ from: Int, _ to: Int) -> Range<Int> { (start + from)..<(start + to) }
        let isProfile =
            range.count >= 6 && (try? ApplicationFileLocator(Array(bytes[(start + 2)..<range.upperBound]))) != nil
        if isProfile {
            value.meaning = "answer to GET PROCESSING OPTIONS"
            value.children = [
                element(EMVTag.interchangeProfile, start: start, value: place(0, 2)),
                element(EMVTag.fileLocator, start: start + 2, value: (start + 2)..<range.upperBound),
            ]
        } else if (11...43).contains(range.count) {
            value.meaning = "answer to GENERATE AC"
            value.children = [
                element(EMVTag.cryptogramInformation, start: start, value: place(0, 1)),
                element(EMVTag.transactionCounter, start: start + 1, value: place(1, 3)),
                element(EMVTag.applicationCryptogram, start: start + 3, value: place(3, 11)),
            ]
            if range.count > 11 {
                value.children.append(
                    element(EMVTag.issuerApplicationData, start: start + 11, value: (start + 11)..<range.upperBound))
            }
        } else if range.count >= 64 {
            value.meaning = "answer to INTERNAL AUTHENTICATE"
            return true
        } else {
            free(&value, range)
            return false
        }
        value.hex = nil
        return true
    }
}

/// Application names by the bytes after the RID.
enum KnownApplication {
    /// Returns the name of a DF name or AID; nil if unknown.
    static func words(for name: [UInt8]) -> String? {
        switch name {
        case Array("1PAY.SYS.DDF01".utf8): return "1PAY.SYS.DDF01, the payment system environment"
        case Array("2PAY.SYS.DDF01".utf8): return "2PAY.SYS.DDF01, the proximity payment system environment"
        default: break
        }
        guard let brand = CardBrand(aid: name) else { return nil }
        let product = products[brand]?.first { name.dropFirst(5).starts(with: $0.0) }?.1
        return brand.displayName + (product.map { ", " + $0 } ?? "")
    }

    private static let products: [CardBrand: [([UInt8], String)]] = [
        .visa: [
            ([0x10, 0x10], "credit or debit"), ([0x20, 0x10], "Electron"), ([0x20, 0x20], "V PAY"),
            ([0x30, 0x10], "Interlink"), ([0x80, 0x10], "Plus"),
        ],
        .mastercard: [
            ([0x10, 0x10], "credit or debit"), ([0x22, 0x03], "US Maestro"), ([0x30, 0x60], "Maestro"),
            ([0x60, 0x00], "Cirrus"),
        ],
        .discover: [([0x30, 0x10], "D-PAS"), ([0x40, 0x10], "US common debit"), ([0x10, 0x10], "Zip")],
        .unionPay: [
            ([0x01, 0x01, 0x01], "debit"), ([0x01, 0x01, 0x02], "credit"), ([0x01, 0x01, 0x03], "quasi credit"),
            ([0x01, 0x01, 0x06], "electronic cash"), ([0x01, 0x01, 0x08], "US debit"),
        ],
        .mir: [([0x10, 0x10], "credit"), ([0x20, 0x10], "debit")],
    ]
}
