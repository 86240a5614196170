import SmartCard

extension FuzzTarget {
    /// Data at a card's contacts.
    static let transmission: [FuzzTarget] = [atr, pps, apdu, t0, t1, traces]

    private static let atr = FuzzTarget(
        "atr", longestInput: 40,
        seeds: {
            [
                "3B6000", "3B6A00000031C173C8211064419000", "3BE00000814031FE6500", "3F65250052 096A9000",
                "3BF71100008131FE654A434F503331563232A2", "3B9F95813FC7A08031E073FA21106300000083F09000BB",
            ].map(bytes)
        },
        run: { bytes in
            for reset in [EMVATRRules.Reset.cold, .warm] {
                switch EMVATRRules.verdict(on: bytes, after: reset) {
                case .accept: break
                case .warmReset(let reason): hold(reset == .cold && !reason.description.isEmpty, "a reason")
                case .deactivate(let reason): hold(reset == .warm && !reason.description.isEmpty, "a reason")
                }
            }
            let atr = try ATR(bytes)
            same(atr.bytes, bytes, "an ATR keeps its bytes")
            hold(atr.historicalBytes.count <= 15, "at most 15 historical bytes")
            // The EMV rules reject a waiting time of zero.
            let isUsable = EMVATRRules.verdict(on: bytes, after: .warm) == .accept
            for clock in [1_000_000, 4_000_000, 20_000_000] {
                let times = [
                    atr.workWaitingTime(clockHertz: clock), atr.blockWaitingTime(clockHertz: clock),
                    atr.characterWaitingTime(clockHertz: clock),
                ]
                hold(times.allSatisfy { $0 >= .zero }, "no waiting time is negative")
                hold(!isUsable || times.allSatisfy { $0 > .zero }, "a card that is taken is waited for")
            }
            for number in 0..<16 as Range<UInt8> { hold(atr.guardTime(inProtocol: number) >= 0, "guard time") }
            _ = TransmissionRate(rateByte: atr.rateByte)
        })

    private static let pps = FuzzTarget(
        "pps", longestInput: 16, seeds: { ["FF0000FFFF00FF", "FF1195 7B", "FF109679FF109679"].map(bytes) },
        run: { bytes in
            let request = try ProtocolParameterSelection(bytes: Array(bytes.prefix(bytes.count / 2)))
            same(request.bytes, Array(bytes.prefix(bytes.count / 2)), "a PPS is written as it was read")
            let response = try ProtocolParameterSelection(bytes: Array(bytes.dropFirst(bytes.count / 2)))
            hold(request.agreedRate(request) != nil || request.pps1 != nil, "an echo is agreement")
            _ = request.agreedRate(response)
        })

    private static let apdu = FuzzTarget(
        "apdu", longestInput: 600,
        seeds: {
            [
                "00A40400", "00B2010C00", "00A404000E315041592E5359532E4444463031", "00A4040007A000000003101000",
                "00CA9F17000000", "00DA000000000400112233", "80A8000002830000", "00A40400000001AA0000",
            ].map(bytes)
        },
        run: { bytes in
            if let response = try? ResponseAPDU(bytes: bytes) { same(response.bytes, bytes, "a response") }
            let command = try CommandAPDU(bytes: bytes)
            same(try CommandAPDU(bytes: command.bytes), command, "a command is read as it is written")
            let again = try CommandAPDU(
                cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2, data: command.data,
                expectedLength: command.expectedLength)
            same(again, command, "a command's own lengths fit")
        })

    /// A command with its length in front, then the response of the card.
    private static let t0 = FuzzTarget(
        "t0", longestInput: 1024,
        seeds: {
            [
                "0000 05 00B2010C00 02 6C10 02 6A83", "0001 06 00A4040001A0 02 6105 07 C06F036105 9000",
                "0002 05 00B2010C02 01 B2 02 7000 02 9000", "0003 05 00C0000000 05 00B2010C02 02 9000",
            ].map(bytes)
        },
        run: { bytes in
            let input = Choices(bytes)
            func chunk() -> [UInt8] { input.bytes(input.number(below: 256)) }
            let kind = input.number(below: 65_536)
            let first = chunk()
            switch kind % 4 {
            case 0, 1:
                var mapper = try T0CommandMapper(try CommandAPDU(bytes: first))
                var step = mapper.start()
                for exchanges in 0... {
                    guard case .exchange(let tpdu) = step else { break }
                    hold(exchanges <= T0CommandMapper.maximumExchanges, "T=0 comes to an end")
                    _ = try T0TPDUExchange(tpdu: tpdu)
                    step = try mapper.received(chunk())
                }
                guard case .complete(let response) = step else { return }
                hold(response.data.count <= 65_536, "no more data than fit")
            case 2:
                var exchange = try T0TPDUExchange(tpdu: first)
                _ = exchange.start()
                for _ in 0..<64 {
                    guard case .complete(let answer) = try exchange.received(chunk()) else { continue }
                    hold((2...258).contains(answer.count), "an answer has a status")
                    return
                }
            default:
                var card = T0CardSide { $0[1] & 2 == 0 }
                var received = first
                for _ in 0..<16 {
                    if case .process = card.received(received) {
                        hold(card.respond(ResponseAPDU(data: chunk(), status: .success)).count >= 2, "an answer")
                    }
                    received = chunk()
                }
            }
        })

    private static let t1 = FuzzTarget(
        "t1", longestInput: 1024,
        seeds: {
            [
                "00 20 05 00B2010C00 00C10120E0 00000270 0071", "01 20 05 00B2010C00 05 0000029000 92 06 00C3010AC8",
                "02 FE 05 00800000 80 04 00900090", "03 20 09 00000500B2010C00BA 04 00C00000C0",
            ].map(bytes)
        },
        run: { bytes in
            let input = Choices(bytes)
            func chunk() -> [UInt8] { input.bytes(input.number(below: 256)) }
            let kind = input.number(below: 4)
            let detection: T1Block.ErrorDetection = kind & 1 == 0 ? .lrc : .crc
            let size = input.bytes(1)[0]
            let first = chunk()
            if let block = try? T1Block(first, errorDetection: detection) {
                same(block.encoded(detection), first, "a block is written as it was read")
            }
            guard kind < 2 else {
                var card = T1CardSide(informationFieldSize: size, errorDetection: detection)
                var received = first
                for _ in 0..<16 {
                    if case .process = card.received(received) {
                        if input.happens(oneIn: 4) { _ = card.requestWaitingTimeExtension(size) }
                        _ = card.respond(chunk())
                    }
                    received = block(input, detection)
                }
                return
            }
            var device = T1InterfaceDevice(cardInformationFieldSize: size, errorDetection: detection)
            var step =
                input.happens(oneIn: 4) ? device.negotiateInformationFieldSize(size) : device.transmit(first)
            for _ in 0..<64 {
                guard case .send = step else { return }
                step = device.received(block(input, detection))
            }
            for timeouts in 0... {
                guard case .send = step else { return }
                hold(timeouts < 64, "a card that says nothing more is given up")
                step = device.timedOut()
            }
        })

    /// Usually a block with a correct checksum, so that its content is parsed.
    private static func block(_ input: Choices, _ detection: T1Block.ErrorDetection) -> [UInt8] {
        guard !input.happens(oneIn: 8) else { return input.bytes(input.number(below: 16)) }
        let pcb = input.bytes(1)[0]
        return T1Block(pcb: pcb, information: input.bytes(input.number(below: 255))).encoded(detection)
    }

    /// A command with its length in front and the response of the card, twice.
    private static let traces = FuzzTarget(
        "card-trace", longestInput: 600,
        seeds: {
            [
                "05 00B2010C00 13 700F 5A08 4761739001010010 5703 4761D2 9000 05 00B2010C00 06 7002 5700 9000",
                "0D 0020008008241234FFFFFFFFFF 02 63C2", "05 80CA9F3600 07 9F36020001 9000",
            ].map(bytes)
        },
        run: { bytes in
            var rest = bytes[...]
            func part() -> [UInt8] {
                let count = Int(rest.popFirst() ?? 0)
                defer { rest = rest.dropFirst(count) }
                return Array(rest.prefix(count))
            }
            let recorder = TraceRecorder { entry in hold(!entry.jsonLine.isEmpty, "a line") }
            while !rest.isEmpty {
                let command = try CommandAPDU(bytes: part())
                recorder.add(command, try ResponseAPDU(bytes: part()))
            }
        })
}
