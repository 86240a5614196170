import CardSecrets
import SmartCard
import Text

/// The card number of a message, to find it in other fields.
final class KnownNumber: Sendable {
    private let digits: SensitiveBytes

    init?(_ message: ISOMessage) {
        guard let secret = message.secret(of: 2) ?? message.secret(of: 35) else { return nil }
        digits = secret.bytes.withUnsafeBytes { bytes in
            SensitiveBytes(bytes.prefix { $0 != UInt8(ascii: "=") })
        }
        guard digits.count >= 8 else { return nil }
    }

    /// Whether the number stands in these characters.
    func isIn(_ characters: UnsafeRawBufferPointer) -> Bool {
        digits.withUnsafeBytes { number in
            guard characters.count >= number.count else { return false }
            return (0...characters.count - number.count).contains { start in
                number.indices.allSatisfy { characters[start + $0] == number[$0] }
            }
        }
    }
}

/// Shows the value of a field without card data.
struct FieldMask {
    let field: Int
    let format: FieldFormat?
    let number: KnownNumber?

    /// Tags of field 55 that have card data or a name: never shown.
    static let secretTags: Set<BERTag> = [
        0x56, 0x57, 0x5A, 0x99, 0x5F20, 0x5F24, 0x5F25, 0x9F0B, 0x9F1F, 0x9F20, 0x9F6B,
    ]
    /// The dates that belong to a card, and the key of field 96.
    private static let hiddenFields: Set<Int> = [14, 96]
    /// Fields of free use, in which a card number may stand.
    private static func isFree(_ field: Int) -> Bool {
        switch field {
        case 43...48, 54...63, 72, 101...127, 129...192: true
        default: false
        }
    }

    func value(_ bytes: UnsafeRawBufferPointer) -> String {
        switch field {
        case 2: return Self.lastFour(bytes)
        case 34, 35, 36: return track(bytes)
        case 52: return Self.stars(2 * bytes.count)
        case let field where Self.hiddenFields.contains(field): return Self.stars(bytes.count)
        default: break
        }
        // The parts show it.
        if format?.content == .berTLV { return "\(bytes.count) bytes" }
        guard format?.isSecret != true else { return Self.stars(bytes.count) }
        guard !hasNumber(bytes) else { return Self.stars(bytes.count) }
        guard format?.attribute == .b else { return shown(bytes) }
        return Self.isFree(field) ? CardNumberMask.masked(bytes.hexadecimal) : bytes.hexadecimal
    }

    /// Whether the message's card number is in these bytes, as characters or in packed digits.
    private func hasNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let number, !number.isIn(bytes) else { return number != nil }
        guard format?.attribute == .b else { return false }
        var digits = bytes.flatMap { [0x30 + ($0 >> 4), 0x30 + ($0 & 0xF)] }
        defer { digits.wipe() }
        return digits.withUnsafeBytes { number.isIn($0) }
    }

    func parts(_ bytes: UnsafeRawBufferPointer) -> [MessageDump.Part] {
        switch format?.content {
        case .berTLV: dataObjects(bytes)
        case .parts(let parts) where format?.isSecret != true && !hasNumber(bytes): self.parts(bytes, parts)
        case .tables(let form) where format?.isSecret != true && !hasNumber(bytes): tables(bytes, form)
        default: []
        }
    }

    /// The text with anything masked that may be a card number, where the field is of free use.
    private func shown(_ bytes: some Collection<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        // Control characters and the like stay on their line.
        for byte in bytes {
            text.append((0x20...0x7E).contains(byte) || byte >= 0xA0 ? Unicode.Scalar(byte) : "?")
        }
        let shown = String(text)
        return Self.isFree(field) ? CardNumberMask.masked(shown) : shown
    }

    /// The last four digits behind stars.
    private static func lastFour(_ bytes: some Collection<UInt8>) -> String {
        guard bytes.count >= 13 else { return stars(bytes.count) }
        return stars(bytes.count - 4) + String(decoding: bytes.suffix(4), as: UTF8.self)
    }

    /// The last four digits of the number; stars for everything behind the separator.
    private func track(_ bytes: UnsafeRawBufferPointer) -> String {
        guard field == 35, let end = bytes.firstIndex(of: UInt8(ascii: "=")) else { return Self.stars(bytes.count) }
        return Self.lastFour(bytes[..<end]) + "=" + Self.stars(bytes.count - end - 1)
    }

    private static func stars(_ count: Int) -> String { String(repeating: "*", count: count) }

    private func dataObjects(_ bytes: UnsafeRawBufferPointer) -> [MessageDump.Part] {
        var copy = Array(bytes)
        defer { copy.wipe() }
        return dataObjects(copy.span, 0..<copy.count, depth: 4)
    }

    private func dataObjects(_ bytes: Span<UInt8>, _ range: Range<Int>, depth: Int) -> [MessageDump.Part] {
        var reader = BERTLVReader(range)
        var parts: [MessageDump.Part] = []
        do throws(BERTLVError) {
            while let object = try reader.next(in: bytes) {
                if object.tag.isConstructed, depth > 0 {
                    parts.append(MessageDump.Part(name: "\(object.tag)", value: "\(object.value.count) bytes"))
                    parts += dataObjects(bytes, object.value, depth: depth - 1)
                } else {
                    parts.append(MessageDump.Part(name: "\(object.tag)", value: value(of: object, bytes)))
                }
            }
        } catch {
            // What cannot be parsed may have anything.
            parts.append(MessageDump.Part(name: "?", value: "\(error)"))
        }
        return parts
    }

    private func value(of object: BERTLVReader.Object, _ bytes: Span<UInt8>) -> String {
        let value = object.value.map { bytes[$0] }
        guard !Self.secretTags.contains(object.tag) else { return Self.stars(2 * value.count) }
        // A tag of the scheme's own may have the number.
        return value.withUnsafeBytes { hasNumber($0) } ? Self.stars(2 * value.count) : value.hexadecimal
    }

    private func parts(_ bytes: UnsafeRawBufferPointer, _ parts: [FieldContent.Part]) -> [MessageDump.Part] {
        var (result, start): ([MessageDump.Part], Int) = ([], 0)
        for part in parts {
            guard start < bytes.count else { break }
            let end = min(bytes.count, start + part.length)
            result.append(MessageDump.Part(name: part.name, value: content(bytes[start..<end])))
            start = end
        }
        if start < bytes.count { result.append(MessageDump.Part(name: "rest", value: content(bytes[start...]))) }
        return result
    }

    private func content(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        format?.attribute == .b ? CardNumberMask.masked(bytes.hexadecimal) : shown(bytes)
    }

    private func tables(_ bytes: UnsafeRawBufferPointer, _ form: FieldContent.TableForm) -> [MessageDump.Part] {
        var (result, start): ([MessageDump.Part], Int) = ([], 0)
        let head = form.length == .digits3 ? 3 : 2
        while start < bytes.count {
            guard start + head <= bytes.count, let length = tableLength(bytes[start..<start + head], form.length),
                length >= form.identifierLength, start + head + length <= bytes.count
            else {
                result.append(MessageDump.Part(name: "rest", value: "\(bytes.count - start) bytes"))
                break
            }
            let identifier = start + head..<start + head + form.identifierLength
            result.append(
                MessageDump.Part(
                    name: shown(bytes[identifier]), value: content(bytes[identifier.upperBound..<start + head + length])
                ))
            start += head + length
        }
        return result
    }

    private func tableLength(_ bytes: Slice<UnsafeRawBufferPointer>, _ form: FieldContent.TableLength) -> Int? {
        switch form {
        case .binary2: return bytes.reduce(0) { $0 << 8 | Int($1) }
        case .bcd2:
            guard bytes.allSatisfy({ $0 >> 4 <= 9 && $0 & 0xF <= 9 }) else { return nil }
            return bytes.reduce(0) { $0 * 100 + Int(($1 >> 4) * 10 + $1 & 0xF) }
        case .digits3:
            guard bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return bytes.reduce(0) { $0 * 10 + Int($1 & 0xF) }
        }
    }
}
