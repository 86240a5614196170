import Determinism
import Testing
import USB

@testable import Simulator

struct USBIPSessionTests {
    private static let list = bytes("0111 8005 00000000")
    private static let importRequest = bytes("0111 8003 00000000 312D32", zeros: 29)

    /// Hexadecimal digits, and zeros and more behind them.
    private static func bytes(_ text: String, zeros: Int = 0, _ more: [UInt8] = []) -> [UInt8] {
        var bytes = hex(text)
        bytes += [UInt8](repeating: 0, count: zeros)
        bytes += more
        return bytes
    }

    private func steps(_ parts: [[UInt8]], _ session: inout USBIPSession) throws -> [USBIPSession.Step] {
        var steps: [USBIPSession.Step] = []
        for part in parts {
            session.receive(part)
            while let step = try session.next() { steps.append(step) }
        }
        return steps
    }

    @Test func `requests are parsed in any fragmentation`() throws {
        for bytes in [Self.list, Self.importRequest] {
            let expected: USBIPRequest = bytes == Self.list ? .deviceList : .importDevice(busID: "1-2")
            for cut in 0...bytes.count {
                var session = USBIPSession()
                #expect(session.isOwed)
                let found = try steps([Array(bytes[..<cut]), Array(bytes[cut...])], &session)
                #expect(found == [.answer(expected)])
            }
        }
    }

    @Test func `commands are parsed in any fragmentation, also several at a time`() throws {
        let out =
            Self.bytes(
                "00000001 0000000A 00010002 00000000 00000002 00000000 00000003 00000000 FFFFFFFF 00000000", zeros: 8,
                [1, 2, 3])
        let input =
            Self.bytes(
                "00000001 0000000B 00010002 00000001 00000002 00000001 00000040 00000000 00000000 00000000", zeros: 8)
        let control =
            Self.bytes(
                "00000001 0000000C 00010002 00000001 00000000 00000200 00000012 00000000 00000000 00000000 80 06 0001 0904 1200"
            )
        let setting =
            Self.bytes(
                "00000001 0000000D 00010002 00000000 00000000 00000000 00000002 00000000 00000000 00000000 21 09 0002 0100 0200 AABB"
            )
        let unlink = Self.bytes("00000002 0000000E 00010002 00000000 00000000 0000000B", zeros: 24)
        let expected: [USBIPCommand] = [
            .submit(USBIPTransfer(sequence: 10, endpoint: 0x02, length: 3, data: [1, 2, 3])),
            .submit(USBIPTransfer(sequence: 11, endpoint: 0x82, mustBeFull: true, length: 64)),
            .submit(
                USBIPTransfer(
                    sequence: 12, endpoint: 0x80, length: 18,
                    request: .input(type: 0x80, request: 6, value: 0x0100, index: 0x0409, length: 18))),
            .submit(
                USBIPTransfer(
                    sequence: 13, endpoint: 0x00, length: 2, data: [0xAA, 0xBB],
                    request: .output(type: 0x21, request: 9, value: 0x0200, index: 1, data: [0xAA, 0xBB]))),
            .unlink(sequence: 14, victim: 11),
        ]
        let bytes = [out, input, control, setting, unlink].flatMap(\.self)
        for cut in stride(from: 0, through: bytes.count, by: 7) {
            var session = USBIPSession()
            session.imported(device: 0x0001_0002)
            #expect(!session.isOwed)
            let found = try steps([Array(bytes[..<cut]), Array(bytes[cut...])], &session)
            #expect(found == expected.map { .perform($0) })
            #expect(!session.isOwed)
        }
    }

    @Test func `an incomplete command is expected to continue`() throws {
        var session = USBIPSession()
        session.imported(device: 1)
        #expect(try steps([[0, 0, 0, 1]], &session) == [])
        #expect(session.isOwed)
    }

    @Test(arguments: [
        ("0106 8005 00000000", "version 0x106, which is not 1.1.1"),
        ("0111 8004 00000000", "request 0x8004 is neither a list nor an import"),
        ("4745 5420 2F204854", "version 0x4745, which is not 1.1.1"),
    ])
    func `an invalid request ends the connection`(bytes: String, reason: String) {
        var session = USBIPSession()
        #expect(throws: BridgeError.malformed(reason)) { try steps([hex(bytes)], &session) }
    }

    @Test(arguments: [
        ("00000003 00000001 00010002 00000000 00000002 00000000 00000000", "command 3 is neither 1 nor 2"),
        (
            "00000001 00000001 00010003 00000000 00000002 00000000 00000000",
            "a command for device 65539, which was not imported"
        ),
        ("00000001 00000001 00010002 00000002 00000002 00000000 00000000", "direction 2 is neither 0 nor 1"),
        ("00000001 00000001 00010002 00000000 00000010 00000000 00000000", "endpoint 16"),
        ("00000001 00000001 00010002 00000000 00000100 00000000 00000000", "endpoint 256"),
        ("00000001 00000001 00010002 00000000 00000002 00000000 01000001", "a transfer of 16777217 bytes"),
        ("00000001 00000001 00010002 00000001 00000002 00000000 FFFFFFFF", "a transfer of 4294967295 bytes"),
    ])
    func `an invalid command ends the connection`(bytes: String, reason: String) {
        var session = USBIPSession()
        session.imported(device: 0x0001_0002)
        let header = Self.bytes(bytes, zeros: 20)
        #expect(throws: BridgeError.malformed(reason)) { try steps([header], &session) }
    }

    @Test func `isochronous transfers are refused`() {
        var session = USBIPSession()
        session.imported(device: 1)
        let header = Self.bytes(
            "00000001 00000001 00000001 00000001 00000002 00000000 00000040 00000000 00000001", zeros: 12)
        #expect(throws: BridgeError.malformed("an isochronous transfer")) {
            try steps([header], &session)
        }
    }

    @Test func `replies have the bytes of the protocol`() {
        #expect(USBIPAnswer.refused(.busy).bytes == hex("0111 0003 00000002"))
        #expect(USBIPAnswer.deviceList([]).bytes == hex("0111 0005 00000000 00000000"))
        let ended = USBIPReply.ended(sequence: 7, .stalled, length: 0, data: [])
        #expect(
            ended.bytes == Self.bytes("00000003 00000007 00000000 00000000 00000000 FFFFFFE0 00000000", zeros: 20))
        let data = USBIPReply.ended(sequence: 8, .success, length: 2, data: [9, 8])
        #expect(
            data.bytes
                == Self.bytes("00000003 00000008 00000000 00000000 00000000 00000000 00000002", zeros: 20, [9, 8]))
        let unlinked = USBIPReply.unlinked(sequence: 9, .unlinked)
        #expect(
            unlinked.bytes == Self.bytes("00000004 00000009 00000000 00000000 00000000 FFFFFF98", zeros: 24))
    }

    @Test func `random input never traps, with and without a device`() {
        let noise = Noise(seed: 0x0311)
        var good = [Self.list, Self.importRequest]
        for direction in [0, 1] as [UInt8] {
            let head: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, direction, 0, 0, 0, 2]
            good.append(head + Self.bytes("00000000 00000004", zeros: 20, [1, 2, 3, 4]))
        }
        for round in 0..<4000 {
            var session = USBIPSession()
            if round % 2 == 0 { session.imported(device: 1) }
            let bytes =
                round % 4 < 2 ? noise.bytes(120) : noise.mutated(good[noise.number(0...3)] + good[noise.number(2...3)])
            let cut = noise.number(0...UInt32(bytes.count))
            do {
                for step in try steps([Array(bytes[..<cut]), Array(bytes[cut...])], &session) {
                    if case .perform(.submit(let transfer)) = step {
                        #expect(transfer.data.count == (transfer.isInput ? 0 : transfer.length))
                    }
                }
            } catch {
                guard case BridgeError.malformed = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }
}
