import SmartCard
import Text

extension Reading {
    /// Returns the tags and lengths of a data object list, up to the first error (EMV Book 3 §5.4).
    func list(in range: Range<Int>) -> (entries: [DecodedValue], problem: DecodingProblem?) {
        var entries: [DecodedValue] = []
        var reader = BERTLVReader(range)
        while reader.position < range.upperBound {
            let start = reader.position
            do throws(BERTLVError) {
                let tag = try reader.nextTag(in: bytes.span)
                let lengthPlace = reader.position
                guard lengthPlace < range.upperBound else { throw .truncated(offset: start) }
                let length = bytes[lengthPlace]
                reader = BERTLVReader((lengthPlace + 1)..<range.upperBound)
                let element = DataElement.described(tag, brand: context.brand)
                entries.append(
                    DecodedValue(
                        tag: tag, name: element?.name ?? Self.unknownName(tag), format: element?.format,
                        source: element?.source,
                        offset: start, length: Int(length)))
            } catch {
                return (entries, DecodingProblem(offset: start, reason: "a tag or its length is cut off or too long"))
            }
        }
        return (entries, nil)
    }

    /// Decodes a data object list as the value of a data element.
    func list(_ value: inout DecodedValue, _ range: Range<Int>) {
        let list = list(in: range)
        value.children = list.entries
        if let problem = list.problem { value.problems.append("\(problem)") }
    }

    /// Tags without lengths.
    func tags(_ value: inout DecodedValue, _ range: Range<Int>) {
        var reader = BERTLVReader(range)
        while reader.position < range.upperBound {
            let start = reader.position
            guard let tag = try? reader.nextTag(in: bytes.span) else {
                return value.problems.append("a tag is cut off or too long, at offset \(start)")
            }
            let element = DataElement.described(tag, brand: context.brand)
            value.children.append(
                DecodedValue(
                    tag: tag, name: element?.name ?? Self.unknownName(tag), format: element?.format,
                    source: element?.source,
                    offset: start, length: 0))
        }
    }

    /// EMV Book 3 §10.2.
    func fileLocator(_ value: inout DecodedValue, _ range: Range<Int>) {
        do throws(AFLError) {
            let locator = try ApplicationFileLocator(Array(bytes[range]))
            for (index, entry) in locator.entries.enumerated() {
                let (first, last) = (entry.records.lowerBound, entry.records.upperBound)
                let records = first == last ? "record \(first)" : "records \(first) to \(last)"
                let count = entry.authenticatedCount
                let start = range.lowerBound + index * 4
                value.children.append(
                    part(
                        "file \(entry.file)", start..<(start + 4),
                        records + (count == 0 ? "" : ", \(count) of them in offline data authentication")))
            }
        } catch {
            value.problems.append(error.description)
        }
    }
}

extension Reading {
    /// EMV Book 3 §10.5 and annex C3.
    func verificationList(_ value: inout DecodedValue, _ range: Range<Int>) {
        guard let list = CVMList(Array(bytes[range])) else {
            return value.problems.append("not two amounts of four bytes and rules of two")
        }
        let start = range.lowerBound
        for (name, place) in [("amount X", start), ("amount Y", start + 4)] {
            let amount = amount(binary: bytes[place..<(place + 4)], in: context.applicationCurrency)
            value.children.append(part(name, place..<(place + 4), amount))
        }
        for (index, rule) in list.rules.enumerated() {
            let place = start + 8 + index * 2
            let next = rule.continuesOnFailure ? "otherwise the next rule" : "otherwise verification fails"
            value.children.append(
                part(
                    "rule \(index + 1)", place..<(place + 2),
                    "\(Self.words(method: rule.methodByte)), \(Self.words(condition: rule.conditionByte)); \(next)"))
        }
    }

    /// EMV Book 4 annex A4.
    func verificationResults(_ value: inout DecodedValue, _ range: Range<Int>) {
        let start = range.lowerBound
        guard range.count == 3 else { return }
        let results: [UInt8: String] = [
            0: "unknown: signature, online PIN, or nothing performed", 1: "failed", 2: "successful",
        ]
        value.children = [
            part("method", start..<(start + 1), Self.words(method: bytes[start])),
            part("condition", (start + 1)..<(start + 2), Self.words(condition: bytes[start + 1])),
            part("result", (start + 2)..<(start + 3), results[bytes[start + 2]] ?? "reserved"),
        ]
    }

    private static func words(method: UInt8) -> String {
        switch method & 0x3F {
        case 0x00: "fail cardholder verification"
        case 0x01: "plaintext PIN verified by the card"
        case 0x02: "enciphered PIN verified online"
        case 0x03: "plaintext PIN verified by the card, and signature"
        case 0x04: "enciphered PIN verified by the card"
        case 0x05: "enciphered PIN verified by the card, and signature"
        case 0x06: "face verified by the card"
        case 0x07: "face verified online"
        case 0x08: "finger verified by the card"
        case 0x09: "finger verified online"
        case 0x0A: "palm verified by the card"
        case 0x0B: "palm verified online"
        case 0x0C: "iris verified by the card"
        case 0x0D: "iris verified online"
        case 0x0E: "voice verified by the card"
        case 0x0F: "voice verified online"
        case 0x1E: "signature"
        case 0x1F: "no CVM required"
        case 0x20...0x2F: "method of the payment system (\([method & 0x3F].hexadecimal))"
        case 0x30...0x3E: "method of the issuer (\([method & 0x3F].hexadecimal))"
        case 0x3F: "no CVM performed"
        default: "reserved method (\([method & 0x3F].hexadecimal))"
        }
    }

    private static func words(condition: UInt8) -> String {
        switch condition {
        case 0x00: "always"
        case 0x01: "if unattended cash"
        case 0x02: "if neither cash nor cashback"
        case 0x03: "if the terminal supports it"
        case 0x04: "if manual cash"
        case 0x05: "if with cashback"
        case 0x06: "if in the application currency and under X"
        case 0x07: "if in the application currency and over X"
        case 0x08: "if in the application currency and under Y"
        case 0x09: "if in the application currency and over Y"
        case 0x80...0xFF: "by a condition of the payment system (\([condition].hexadecimal))"
        default: "by a reserved condition (\([condition].hexadecimal))"
        }
    }
}
