internal import SmartCard

/// Tags that payment systems use in different ways.
extension Reading {
    /// 9F66: four bytes of terminal transaction qualifiers, or two of Mastercard's bit map.
    func transactionQualifiers(_ value: inout DecodedValue, _ range: Range<Int>) {
        if range.count == 4 {
            value.name = "terminal transaction qualifiers"
            value.flags = BitTable.terminalTransactionQualifiers.flags(of: bytes[range])
        } else {
            value.name = "PUNATC, track 2: positions of UN and ATC"
        }
    }

    /// 9F6C: Mastercard's is a version number.
    func cardQualifiers(_ value: inout DecodedValue, _ range: Range<Int>) {
        if context.brand == .mastercard {
            value.name = "magnetic stripe version of the card"
            value.meaning = counter(bytes[range])
        } else {
            value.name = "card transaction qualifiers"
            value.flags = BitTable.cardTransactionQualifiers.flags(of: bytes[range])
        }
    }

    /// 9F6E: Visa's is the kind of device, American Express's what the reader can do, Mastercard's belongs to a
    /// third party.
    func formFactor(_ value: inout DecodedValue, _ range: Range<Int>) {
        switch context.brand {
        case .americanExpress where range.count == 4:
            value.name = "enhanced contactless reader capabilities"
            value.flags = BitTable.enhancedReaderCapabilities.flags(of: bytes[range])
        case .visa where range.count == 4, .usCommonDebit where range.count == 4, nil where range.count == 4:
            value.name = "form factor indicator"
            value.flags = BitTable.formFactorIndicator.flags(of: bytes[range])
        case .mastercard where range.count >= 4: thirdPartyData(&value, range)
        default: free(&value, range)
        }
    }

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

    /// Tag 80: what GET PROCESSING OPTIONS answers, if the part behind two bytes is a file locator; else what
    /// GENERATE AC answers (EMV Book 3 §6.5.5.4, §6.5.8.4).
    mutating func responseFormat1(_ value: inout DecodedValue, _ range: Range<Int>) {
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
        } else {
            return free(&value, range)
        }
        value.hex = nil
    }
}
