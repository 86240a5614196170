/// What of commands and responses may be shown, with a memory for the card data that was seen.
struct TraceMask: ~Copyable {
    /// PAN, track 2 data (57, 9F6B), track 1 data, names, discretionary data, PIN data, and the ICC public
    /// key certificates, out of which everybody can recover the PAN.
    private static let sensitiveTags: Set<BERTag> = [
        0x5A, 0x57, 0x56, 0x5F20, 0x9F0B, 0x9F1F, 0x9F20, 0x9F6B, 0x99, 0x9F46, 0x9F2D,
    ]
    /// VERIFY, CHANGE REFERENCE DATA (PIN CHANGE/UNBLOCK), RESET RETRY COUNTER.
    private static let pinInstructions: Set<UInt8> = [0x20, 0x24, 0x2C]
    /// GET CHALLENGE and INTERNAL AUTHENTICATE answer with bytes that are no data objects.
    private static let plainInstructions: Set<UInt8> = [0x84, 0x88]
    private static let maximumDepth = 16

    /// The card data that was seen, as half bytes.
    private var seen: [[UInt8]] = []

    deinit {
        for pattern in seen {
            pattern.withUnsafeBufferPointer { buffer in
                // Nobody else holds the arrays; the memory is about to be let go.
                UnsafeMutableBufferPointer(mutating: buffer).update(repeating: 0)
            }
        }
    }

    func text(of command: CommandAPDU) -> String {
        let hidden =
            Self.pinInstructions.contains(command.ins)
            ? Array(repeating: true, count: command.data.count)
            : occurrences(in: command.data)
        // The parts one by one: the whole would be one more copy of a PIN.
        return HexText.encode(command.bytesBeforeData) + Self.text(command.data, hidden)
            + HexText.encode(command.bytesAfterData)
    }

    mutating func text(of response: ResponseAPDU, to command: CommandAPDU) -> String {
        let data = response.data
        let status = response.status.description
        var sensitive: [(tag: BERTag, value: ArraySlice<UInt8>)] = []
        let isTLV = Self.collect(data, 0..<data.count, Self.maximumDepth, &sensitive)
        let isUnderstood = isTLV && Self.isExpected(data, to: command)
        for (tag, value) in sensitive { learn(tag, value) }
        guard isUnderstood || Self.plainInstructions.contains(command.ins) else {
            return String(repeating: "**", count: data.count) + status
        }
        var hidden = occurrences(in: data)
        for (_, value) in sensitive {
            for index in value.indices { hidden[index] = true }
        }
        return Self.text(data, hidden) + status
    }

    /// Whether the first tag is one that the command is answered with.
    private static func isExpected(_ data: [UInt8], to command: CommandAPDU) -> Bool {
        var reader = BERTLVReader(0..<data.count)
        guard !data.isEmpty, let tag = try? reader.nextTag(in: data.span) else { return data.isEmpty }
        return switch command.ins {
        case 0xB2: tag == 0x70
        case 0xA8: tag == 0x77 || tag == 0x80
        case 0xCA: tag.rawValue == UInt32(command.p1) << 8 | UInt32(command.p2)
        default: true
        }
    }

    /// Finds the sensitive values at any depth.
    ///
    /// - Returns: whether all of the bytes are BER-TLV.
    private static func collect(
        _ bytes: [UInt8], _ range: Range<Int>, _ depth: Int,
        _ sensitive: inout [(tag: BERTag, value: ArraySlice<UInt8>)]
    ) -> Bool {
        guard depth > 0 else { return false }
        var reader = BERTLVReader(range)
        do throws(BERTLVError) {
            while let object = try reader.next(in: bytes.span) {
                if sensitiveTags.contains(object.tag) {
                    sensitive.append((object.tag, bytes[object.value]))
                } else if object.tag.isConstructed {
                    guard collect(bytes, object.value, depth - 1, &sensitive) else { return false }
                }
            }
        } catch { return false }
        return true
    }

    private mutating func learn(_ tag: BERTag, _ value: ArraySlice<UInt8>) {
        let halves = Self.halves(value)
        switch tag {
        case 0x5A: learnNumber(halves.prefix { $0 <= 9 })
        case 0x57, 0x9F6B:
            learnNumber(halves.prefix { $0 <= 9 })
            // Without the filler.
            if let last = halves.lastIndex(where: { $0 != 0x0F }) { remember(halves[...last]) }
        case 0x56:
            // Format code, PAN in ASCII, separator.
            learnNumber(value.dropFirst().prefix { (0x30...0x39).contains($0) }.map { $0 & 0x0F }[...])
            remember(halves[...])
        case 0x5F20, 0x9F0B, 0x9F1F, 0x9F20: remember(halves[...])
        default: break
        }
    }

    private mutating func learnNumber(_ digits: ArraySlice<UInt8>) {
        guard digits.count >= 8, Set(digits).count > 1 else { return }
        add(Array(digits))
        add(digits.flatMap { [3, $0] })
    }

    /// Data other than a PAN is too common to be told from other bytes when it is short or monotonous.
    private mutating func remember(_ halves: ArraySlice<UInt8>) {
        guard halves.count >= 8, Set(halves).count > 2 else { return }
        add(Array(halves))
    }

    private mutating func add(_ pattern: [UInt8]) {
        if !seen.contains(pattern) { seen.append(pattern) }
    }

    /// For each byte whether a part of it belongs to card data that was seen, at any half byte.
    private func occurrences(in data: [UInt8]) -> [Bool] {
        var hidden = Array(repeating: false, count: data.count)
        let halves = Self.halves(data[...])
        for pattern in seen where pattern.count <= halves.count {
            for start in 0...(halves.count - pattern.count)
            where halves[start] == pattern[0] && halves[start..<(start + pattern.count)].elementsEqual(pattern) {
                for index in (start / 2)...((start + pattern.count - 1) / 2) { hidden[index] = true }
            }
        }
        return hidden
    }

    private static func halves(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.flatMap { [$0 >> 4, $0 & 0x0F] } }

    private static func text(_ bytes: [UInt8], _ hidden: [Bool]) -> String {
        var text = ""
        for (byte, isHidden) in zip(bytes, hidden) { text += isHidden ? "**" : HexText.encode([byte]) }
        return text
    }
}
