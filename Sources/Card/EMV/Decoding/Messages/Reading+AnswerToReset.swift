import SmartCard

/// An answer to reset, byte by byte (ISO/IEC 7816-3 §8; EMV Book 1 §8).
extension Reading {
    mutating func answerToReset() -> [DecodedValue] {
        var value = DecodedValue(name: "answer to reset", offset: 0, length: bytes.count)
        do throws(ATRError) {
            let answer = try ATR(bytes)
            value.meaning = words(answer)
            value.problems = EMVATRRules.breaches(of: answer, after: .cold).map { "EMV: \($0)" }
        } catch {
            stop(at: min(error.offset, bytes.count), Self.words(error))
        }
        value.children = characters()
        return bytes.isEmpty ? [] : [value]
    }

    private static func words(_ error: ATRError) -> String {
        switch error {
        case .empty: "no answer to reset"
        case .invalidInitialCharacter: "an answer to reset begins with 3B or 3F"
        case .truncated: "the answer to reset ends early"
        case .tooLong(let count): "an answer to reset has at most 33 bytes, not \(count)"
        case .wrongCheckByte: "the check byte TCK is wrong"
        case .trailingBytes: "bytes after the end of the answer to reset"
        }
    }

    private func words(_ answer: ATR) -> String {
        let offered = answer.offeredProtocols.map { "T=\($0)" }.joined(separator: ", ")
        let mode = answer.specificMode.map { "specific mode, T=\($0.transmissionProtocol)" } ?? "negotiable mode"
        return "\(offered); \(mode)"
    }

    /// The characters as far as they go.
    private func characters() -> [DecodedValue] {
        guard bytes.count >= 2 else { return [] }
        let conventions: [UInt8: String] = [0x3B: "direct convention", 0x3F: "inverse convention"]
        let count = Int(bytes[1] & 0x0F)
        var parts = [
            part("TS", 0..<1, conventions[bytes[0]] ?? "no initial character"),
            part("T0", 1..<2, "\(count) historical bytes"),
        ]
        var place = 2
        var announced: UInt8? = bytes[1]
        var transmissionProtocol: UInt8?
        var offersMore = false
        var index = 1
        while let presence = announced {
            announced = nil
            for (letter, bit) in [("A", 0x10), ("B", 0x20), ("C", 0x40), ("D", 0x80)] as [(Character, UInt8)]
            where presence & bit != 0 {
                guard place < bytes.count else { return parts }
                let byte = bytes[place]
                parts.append(
                    part("T\(letter)\(index)", place..<(place + 1), words(letter, index, byte, transmissionProtocol)))
                if letter == "D" { announced = byte }
                place += 1
            }
            transmissionProtocol = announced.map { $0 & 0x0F }
            offersMore = offersMore || transmissionProtocol ?? 0 != 0
            index += 1
        }
        let end = min(bytes.count, place + count)
        if place < end { parts.append(historicalBytes(place..<end)) }
        if end < bytes.count, offersMore { parts.append(part("TCK", end..<(end + 1), "check byte")) }
        return parts
    }

    private func words(_ letter: Character, _ index: Int, _ byte: UInt8, _ transmissionProtocol: UInt8?) -> String? {
        switch (letter, index, transmissionProtocol) {
        case ("D", _, _): return "T=\(byte & 0x0F)" + (byte & 0xF0 == 0 ? ", no further interface bytes" : "")
        case ("A", 1, _):
            guard let rate = TransmissionRate(rateByte: byte) else { return "reserved F or D" }
            return "F \(rate.clockRateConversion), D \(rate.baudRateAdjustment)"
        case ("B", 1, _): return byte == 0 ? "no programming voltage" : "programming voltage"
        case ("C", 1, _): return byte == 0xFF ? "least guard time" : "extra guard time \(byte) etu"
        case ("A", 2, _):
            return "specific mode, T=\(byte & 0x0F)"
                + (byte & 0x10 == 0 ? "" : ", implicit parameters") + (byte & 0x80 == 0 ? "" : ", cannot change")
        case ("B", 2, _): return "programming voltage"
        case ("C", 2, _): return "waiting time integer \(byte)"
        case ("A", _, 1): return "takes blocks of \(byte) bytes"
        case ("B", _, 1): return "BWI \(byte >> 4), CWI \(byte & 0x0F)"
        case ("C", _, 1): return byte & 1 == 0 ? "LRC" : "CRC"
        case ("A", _, 15): return clockAndVoltage(byte)
        default: return nil
        }
    }

    private func clockAndVoltage(_ byte: UInt8) -> String {
        let names = ["5 V", "3 V", "1.8 V"].enumerated().filter { byte & 1 << UInt8($0.offset) != 0 }
        let stop = ["clock stop not supported", "clock stops low", "clock stops high", "clock stops either way"]
        return names.map(\.element).joined(separator: ", ") + (names.isEmpty ? "" : "; ") + stop[Int(byte >> 6)]
    }

    /// ISO/IEC 7816-4 §8.1.1: a category, then compact data objects.
    private func historicalBytes(_ range: Range<Int>) -> DecodedValue {
        var value = freePart("historical bytes", range)
        guard !value.isMasked else { return value }
        value.meaning = printable(bytes[range]).map(quoted)
        let category = bytes[range.lowerBound]
        guard category == 0x80 || category == 0x00 else { return value }
        // Category 00 has three bytes of status behind the objects.
        let end = category == 0 ? max(range.lowerBound + 1, range.upperBound - 3) : range.upperBound
        var place = range.lowerBound + 1
        while place < end {
            let length = Int(bytes[place] & 0x0F)
            guard place + 1 + length <= end else {
                value.problems.append("a compact data object is cut off")
                return value
            }
            let name = Self.compactObjects[bytes[place] >> 4] ?? "compact data object \(bytes[place] >> 4)"
            let content = (place + 1)..<(place + 1 + length)
            value.children.append(part(name, content, printable(bytes[content]).map(quoted)))
            place = content.upperBound
        }
        if end < range.upperBound { value.children.append(part("status", end..<range.upperBound)) }
        return value
    }

    private static let compactObjects: [UInt8: String] = [
        1: "country code", 2: "issuer identification number", 3: "card service data", 4: "initial access data",
        5: "card issuer's data", 6: "pre-issuing data", 7: "card capabilities", 8: "status",
        15: "application identifier",
    ]
}
