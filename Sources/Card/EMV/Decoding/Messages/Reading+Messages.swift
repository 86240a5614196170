import SmartCard

/// Commands to the card and its answers (EMV Book 3 §6).
extension Reading {
    /// A command and the response of the card.
    mutating func exchange() -> [DecodedValue] {
        guard let length = SubjectGuess.commandLength(of: bytes) else {
            stop(at: 0, "no command followed by a response")
            return []
        }
        let command = wholeCommand(in: 0..<length)
        let instruction = EMVInstruction(class: bytes[0], code: bytes[1])
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
        let instruction = EMVInstruction(class: command.cla, code: command.ins)
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
        of command: CommandAPDU, _ instruction: EMVInstruction?, _ place: Range<Int>
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
            var values = element(object.tag, start: object.start, value: object.value)
            addRequestedValues(to: &values, in: object.value)
            return values
        case .generateApplicationCryptogram, .internalAuthenticate:
            var values = freePart("data", place)
            addRequestedValues(to: &values, in: place)
            return values
        case .externalAuthenticate:
            guard (8...16).contains(place.count) else { return freePart("data", place) }
            return element(EMVTag.issuerAuthenticationData, start: place.lowerBound, value: place)
        case .putData where command.cla & 0x0C == 0:
            let tag = BERTag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
            return element(tag, start: place.lowerBound, value: place)
        case .exchangeRelayResistanceData where place.count == 4: return part("terminal entropy", place)
        case .readData:
            var data = part("tags", place)
            tags(&data, place)
            return data
        case .writeData: return part("data envelope, enciphered", place)
        default:
            return freePart("data", place)
        }
    }

    /// An answer of the card.
    mutating func response(in range: Range<Int>, to instruction: EMVInstruction?) -> DecodedValue? {
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

    private mutating func data(in range: Range<Int>, to instruction: EMVInstruction?) -> [DecodedValue] {
        switch instruction {
        case .exchangeRelayResistanceData where range.count == 12 && bytes[range.lowerBound] == 0x80:
            return [relayResistanceData(in: range)]
        case .readData where range.count > 8:
            let end = range.upperBound - 8
            return [
                part("data envelope, enciphered", range.lowerBound..<end), part("MAC", end..<range.upperBound),
            ]
        case .writeData: return [part("MAC", range)]
        default: break
        }
        var reader = BERTLVReader(range)
        let isObject = (try? reader.nextTag(in: bytes.span)).map { DataElement.described($0) != nil } ?? false
        guard isObject, instruction != .getChallenge else {
            return [instruction == .getChallenge ? part("challenge", range) : freePart("data", range)]
        }
        return objects(in: range)
    }
}

extension Reading {
    /// The answer to EXCHANGE RELAY RESISTANCE DATA in template 80 (EMV Contactless Book C-2 §5.3, Book C-8 §5.2). Its
    /// times are in units of 100 µs.
    func relayResistanceData(in range: Range<Int>) -> DecodedValue {
        let element = DataElement.described(EMVTag.responseFormat1)
        let start = range.lowerBound + 2
        var value = DecodedValue(
            tag: EMVTag.responseFormat1, name: element?.name ?? "", format: element?.format, source: element?.source,
            offset: range.lowerBound, length: range.count - 2)
        value.meaning = "answer to EXCHANGE RELAY RESISTANCE DATA"
        func time(_ name: String, _ from: Int) -> DecodedValue {
            let place = (start + from)..<(start + from + 2)
            let tenths = bytes[place].reduce(0) { $0 << 8 | Int($1) }
            return part(name, place, "\(tenths * 100) µs")
        }
        value.children = [
            part("device entropy", start..<(start + 4)), time("shortest time", 4), time("longest time", 6),
            time("estimated transmission time of the answer", 8),
        ]
        return value
    }

    /// The data objects in a range. Decoding stops at the first error; the valid part of that object is included.
    mutating func objects(in range: Range<Int>, depth: Int = EMVDecoder.maximumDepth) -> [DecodedValue] {
        guard depth > 0 else {
            stop(at: range.lowerBound, "templates nested deeper than \(EMVDecoder.maximumDepth) levels")
            return []
        }
        var objects: [DecodedValue] = []
        var reader = BERTLVReader(range)
        while problem == nil {
            let header: BERTLVReader.Header
            do throws(BERTLVError) {
                guard let next = try reader.nextHeader(in: bytes.span) else { break }
                header = next
            } catch {
                stop(at: error.offset, Self.words(error))
                break
            }
            let value = reader.position..<min(range.upperBound, reader.position + header.length)
            guard value.count == header.length else {
                objects.append(cutOff(header, value, depth))
                break
            }
            reader = BERTLVReader(value.upperBound..<range.upperBound)
            objects.append(element(header.tag, start: header.start, value: value, depth: depth))
        }
        return objects
    }

    /// Returns a truncated data object: its name and, for a template, its complete children.
    private mutating func cutOff(
        _ header: BERTLVReader.Header, _ present: Range<Int>, _ depth: Int
    ) -> DecodedValue {
        let element = DataElement.described(header.tag, brand: context.brand)
        var value = DecodedValue(
            tag: header.tag, name: element?.name ?? Self.unknownName(header.tag), format: element?.format,
            source: element?.source,
            offset: header.start, length: header.length)
        let missing = "\(header.tag) has \(present.count) of its \(header.length) bytes"
        value.problems = ["cut off: \(present.count) of its \(header.length) bytes are there"]
        // The deepest place says most; a part of a value says nothing, and may be a part of a PAN.
        if header.tag.isConstructed { value.children = objects(in: present, depth: depth - 1) }
        stop(at: present.upperBound, missing)
        return value
    }

    private static func words(_ error: BERTLVError) -> String {
        switch error {
        case .truncated: "the data end inside a tag or a length"
        case .tagTooLong: "a tag of more than four bytes"
        case .invalidLength: "a length of more than three bytes, or of the indefinite form"
        case .tooDeep: "templates nested too deep"
        case .tooLarge: "more data than allowed"
        }
    }
}

/// Status words in plain words (ISO/IEC 7816-4 §5.6; EMV Book 1 §11, Book 3 §6.5).
enum StatusWordMeaning {
    /// Returns the meaning of a status word, which can depend on the command.
    static func words(_ status: StatusWord, to instruction: EMVInstruction?) -> String {
        switch (instruction, status.rawValue) {
        case (.select, 0x6283): "the application is blocked"
        case (.select, 0x6A81): "the card is blocked, or does not know the command"
        case (.select, 0x6A82): "no application of that name"
        case (.getProcessingOptions, 0x6985): "conditions of use not satisfied: take another application"
        case (.externalAuthenticate, 0x6300): "issuer authentication failed"
        case (.verify, 0x6983): "PIN blocked"
        case (.verify, 0x6984): "PIN reference data invalidated"
        case (.readRecord, 0x6A83): "no such record"
        case (.getData, 0x6A88): "no such data object"
        default: general(status)
        }
    }

    private static func general(_ status: StatusWord) -> String {
        if let words = exact[status.rawValue] { return words }
        switch (status.sw1, status.sw2 >> 4) {
        case (0x61, _): return "\(status.sw2 == 0 ? 256 : Int(status.sw2)) bytes of response wait"
        case (0x6C, _): return "wrong expected length: \(status.sw2 == 0 ? 256 : Int(status.sw2)) bytes are there"
        case (0x63, 0xC): return "verification failed, \(status.sw2 & 0x0F) tries left"
        case (0x62, _), (0x63, _): return "warning"
        case (0x64...0x6F, _): return "error"
        default: return "unknown"
        }
    }

    private static let exact: [UInt16: String] = [
        0x9000: "done", 0x6200: "warning, no information", 0x6281: "part of the data may be damaged",
        0x6282: "end of file before the expected length", 0x6283: "selected file invalidated",
        0x6300: "authentication failed", 0x6400: "execution error", 0x6581: "memory failure", 0x6700: "wrong length",
        0x6800: "function of the class not supported", 0x6882: "secure messaging not supported",
        0x6900: "command not allowed", 0x6982: "security status not satisfied",
        0x6983: "authentication method blocked", 0x6984: "reference data invalidated",
        0x6985: "conditions of use not satisfied", 0x6986: "command not allowed, no current file",
        0x6987: "secure messaging data objects missing", 0x6988: "secure messaging data objects wrong",
        0x6A80: "wrong data", 0x6A81: "function not supported", 0x6A82: "file not found", 0x6A83: "record not found",
        0x6A84: "not enough memory", 0x6A86: "wrong parameters P1 P2", 0x6A88: "referenced data not found",
        0x6B00: "wrong parameters P1 P2", 0x6D00: "instruction not supported", 0x6E00: "class not supported",
        0x6F00: "no precise diagnosis",
    ]
}
