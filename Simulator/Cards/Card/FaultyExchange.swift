import SmartCard

/// Counts the commands of a card, and finds the faults that apply to each.
struct CommandFaults: Sendable {
    /// The number of commands of each type and in total.
    private var counts: [CardFault.Command: Int] = [:]

    /// Counts a command and returns the faults that apply to it.
    mutating func take(_ instruction: UInt8, of faults: [CardFault]) -> [CardFault] {
        let kinds = [CardFault.Command(instruction: instruction), .any].compactMap(\.self)
        for kind in kinds { counts[kind, default: 0] += 1 }
        return faults.filter { $0.concerns(instruction: instruction, count: counts[$0.command] ?? 0) }
    }
}

/// One command, as changed by the card's faults.
struct FaultyExchange {
    /// The faults that apply to this command, in the profile's order.
    let faults: [CardFault]

    var isMute: Bool { faults.contains { $0.effect == .mute } }

    /// The status word that the card returns regardless of the command's result.
    var status: StatusWord? {
        for fault in faults { if case .statusWord(let status) = fault.effect { return status } }
        return nil
    }

    /// Whether the card processes the command at all.
    var isProcessed: Bool {
        !faults.contains { fault in
            switch fault.effect {
            case .statusWord, .mute, .remove: fault.moment == .before
            default: false
            }
        }
    }

    var removal: SimulatedCardReply.Removal? {
        guard let fault = faults.first(where: { $0.effect == .remove }) else { return nil }
        return fault.moment == .after ? .afterAnswer : .beforeAnswer
    }

    var delay: Duration {
        faults.reduce(.zero) { sum, fault in
            if case .delay(let milliseconds) = fault.effect { sum + .milliseconds(milliseconds) } else { sum }
        }
    }

    var waitingTimeExtensions: Int {
        faults.reduce(0) { sum, fault in
            if case .waitingTimeExtension(let count) = fault.effect { sum + count } else { sum }
        }
    }

    /// Returns the command as the card receives it.
    func command(_ command: CommandAPDU) -> CommandAPDU {
        guard faults.contains(where: { $0.effect == .badMAC }) else { return command }
        var data = command.data
        // EXTERNAL AUTHENTICATE starts with the response cryptogram, a script command ends with the MAC.
        let index = command.ins == 0x82 ? data.startIndex : data.endIndex - 1
        guard data.indices.contains(index) else { return command }
        data[index] ^= 1
        let changed = try? CommandAPDU(
            cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2, data: data,
            expectedLength: command.expectedLength)
        return changed ?? command
    }

    /// Returns the response as the card sends it.
    func response(_ response: ResponseAPDU) -> ResponseAPDU {
        if let status { return ResponseAPDU(status: status) }
        var data = response.data
        for fault in faults { Self.disturb(&data, fault.effect) }
        return ResponseAPDU(data: data, status: response.status)
    }

    private static func disturb(_ data: inout [UInt8], _ effect: CardFault.Effect) {
        switch effect {
        case .truncate(let count): data = Array(data.prefix(count))
        case .appendByte: data.append(0x9F)
        case .wrongLength: if let index = lengthIndex(data) { data[index] &+= 1 }
        case .badTLV: if let index = lengthIndex(data) { data[index] = 0x80 }
        case .badCryptogram: flip(&data, in: cryptogram(data))
        case .wrongSignature: flip(&data, in: signature(data))
        case .statusWord, .badMAC, .delay, .waitingTimeExtension, .mute, .remove: break
        }
    }

    /// Returns the position of the last byte of the outermost length.
    private static func lengthIndex(_ data: [UInt8]) -> Int? {
        guard let first = data.first else { return nil }
        let start = first & 0x1F == 0x1F ? 2 : 1
        guard data.indices.contains(start) else { return nil }
        let end = data[start] & 0x80 == 0 ? start : start + Int(data[start] & 0x7F)
        return data.indices.contains(end) ? end : nil
    }

    private static func flip(_ data: inout [UInt8], in range: Range<Int>?) {
        guard let index = range?.last, data.indices.contains(index) else { return }
        data[index] ^= 1
    }

    /// Returns the position of the application cryptogram in either response format.
    private static func cryptogram(_ data: [UInt8]) -> Range<Int>? {
        if let range = value(of: [0x9F, 0x26], in: data) { return range }
        // Format 1: cryptogram information data (1), ATC (2), cryptogram (8).
        guard data.first == 0x80, let length = lengthIndex(data), data.count >= length + 12 else { return nil }
        return length + 4..<length + 12
    }

    private static func signature(_ data: [UInt8]) -> Range<Int>? {
        for tag: [UInt8] in [[0x9F, 0x4B], [0x93], [0x9F, 0x46], [0x9F, 0x2D], [0x90]] {
            if let range = value(of: tag, in: data) { return range }
        }
        // Format 1 of INTERNAL AUTHENTICATE is the signature only.
        return data.first == 0x80 ? data.indices : nil
    }

    /// Returns the position of a data object's value in the outermost template.
    private static func value(of tag: [UInt8], in data: [UInt8]) -> Range<Int>? {
        guard let template = try? BERTLV.parse(data).first, template.tag.isConstructed else { return nil }
        var start = template.encoded.count - template.value.count
        for child in template.children {
            if child.tag.bytes == tag {
                let end = start + child.encoded.count
                return end - child.value.count..<end
            }
            start += child.encoded.count
        }
        return nil
    }
}
