internal import SmartCard

/// Commands to the card and its answers (EMV Book 3 §6).
extension Reading {
    /// A command and what the card answered.
    mutating func exchange() -> [DecodedValue] {
        guard let length = SubjectGuess.commandLength(of: bytes) else {
            stop(at: 0, "no command with an answer behind it")
            return []
        }
        let command = wholeCommand(in: 0..<length)
        let instruction = CardInstruction(class: bytes[0], code: bytes[1])
        return command + (response(in: length..<bytes.count, to: instruction).map { [$0] } ?? [])
    }

    /// A command; the reading stops when it is none.
    mutating func wholeCommand(in range: Range<Int>) -> [DecodedValue] {
        do throws(APDUError) { return [try command(in: range)] } catch {
            stop(at: range.lowerBound + min(4, range.count), "\(error)")
            return []
        }
    }

    /// Tag 86: a command as the value of a data element.
    mutating func scriptCommand(_ value: inout DecodedValue, _ range: Range<Int>) {
        do throws(APDUError) {
            value.children = [try command(in: range)]
            value.hex = nil
        } catch {
            // It may be a command that carries a PIN.
            value.withhold("a command that cannot be read")
            value.problems.append("\(error)")
        }
    }

    /// A command with its data.
    private mutating func command(in range: Range<Int>) throws(APDUError) -> DecodedValue {
        let start = range.lowerBound
        let command = try CommandAPDU(bytes: Array(bytes[range]))
        let instruction = CardInstruction(class: command.cla, code: command.ins)
        var value = DecodedValue(
            name: instruction?.name ?? "command of unknown instruction", offset: start, length: range.count)
        value.meaning = instruction?.words(p1: command.p1, p2: command.p2)
        if command.cla & 0x0C != 0 { value.meaning = (value.meaning.map { $0 + ", " } ?? "") + "secure messaging" }
        value.children = [part("header CLA INS P1 P2", start..<(start + 4))]
        if !command.data.isEmpty {
            let dataStart = start + 4 + (command.isExtended ? 3 : 1)
            let place = dataStart..<(dataStart + command.data.count)
            value.children.append(data(of: command, instruction, place))
        }
        if let length = command.expectedLength {
            let count = command.isExtended ? 2 : 1
            value.children.append(
                part("expected length", (range.upperBound - count)..<range.upperBound, "\(length) bytes"))
        }
        return value
    }

    private mutating func data(
        of command: CommandAPDU, _ instruction: CardInstruction?, _ place: Range<Int>
    ) -> DecodedValue {
        switch instruction {
        case .verify, .pinChange:
            var data = part("data", place)
            data.withhold("PIN data")
            return data
        case .select:
            return part("name", place, KnownApplication.words(for: command.data) ?? printable(bytes[place]).map(quoted))
        case .getProcessingOptions:
            var reader = BERTLVReader(place)
            guard let object = try? reader.next(in: bytes.span), object.tag == 0x83,
                object.value.upperBound == place.upperBound
            else { return freePart("data", place) }
            return element(object.tag, start: object.start, value: object.value)
        case .externalAuthenticate:
            guard (8...16).contains(place.count) else { return freePart("data", place) }
            return element(EMVTag.issuerAuthenticationData, start: place.lowerBound, value: place)
        case .putData where command.cla & 0x0C == 0:
            let tag = BERTag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
            return element(tag, start: place.lowerBound, value: place)
        default:
            return freePart("data", place)
        }
    }

    /// An answer of the card.
    mutating func response(in range: Range<Int>, to instruction: CardInstruction?) -> DecodedValue? {
        guard range.count >= 2 else {
            stop(at: range.lowerBound, "no status word")
            return nil
        }
        let end = range.upperBound - 2
        let status = StatusWord(bytes[end], bytes[end + 1])
        var value = DecodedValue(name: "response", offset: range.lowerBound, length: range.count)
        if end > range.lowerBound { value.children = data(in: range.lowerBound..<end, to: instruction) }
        value.children.append(
            part("status word", end..<range.upperBound, StatusWordMeaning.words(status, to: instruction)))
        return value
    }

    private mutating func data(in range: Range<Int>, to instruction: CardInstruction?) -> [DecodedValue] {
        var reader = BERTLVReader(range)
        let isObject = (try? reader.nextTag(in: bytes.span)).map { DataElement.described($0) != nil } ?? false
        guard isObject, instruction != .getChallenge else {
            return [instruction == .getChallenge ? part("challenge", range) : freePart("data", range)]
        }
        return objects(in: range)
    }
}
