import SmartCard
import Testing

struct ProtocolParameterSelectionTests {
    @Test(arguments: [
        ("FF00FF", 0 as UInt8, nil), ("FF01FE", 1, nil), ("FF109579", 0, 0x95), ("FF11137D", 1, 0x13 as UInt8?),
    ])
    func `requests are written and read`(text: String, transmissionProtocol: UInt8, pps1: UInt8?) throws {
        var expected = bytes(text)
        expected[expected.count - 1] = expected.dropLast().reduce(0, ^)
        let selection = ProtocolParameterSelection(transmissionProtocol: transmissionProtocol, pps1: pps1)
        #expect(selection.bytes == expected)
        #expect(try ProtocolParameterSelection(bytes: expected) == selection)
    }

    @Test func `a known request byte by byte`() {
        #expect(hex(ProtocolParameterSelection(transmissionProtocol: 1, pps1: 0x18).bytes) == "FF1118F6")
    }

    @Test func `all parameters go through`() throws {
        let all = ProtocolParameterSelection(transmissionProtocol: 15, pps1: 1, pps2: 2, pps3: 3)
        #expect(all.bytes.count == 6)
        #expect(try ProtocolParameterSelection(bytes: all.bytes) == all)
    }

    @Test(arguments: [
        ("", PPSError.truncated(offset: 0)), ("FF10", .truncated(offset: 2)), ("FF1013", .truncated(offset: 3)),
        ("3B00FF", .invalidInitialCharacter(0x3B)), ("FF807F", .reservedFormat(0x80)),
        ("FF00FE", .wrongCheckByte(offset: 2)), ("FF00FF00", .trailingBytes(offset: 3)),
    ])
    func `a malformed one is reported with the position`(text: String, error: PPSError) {
        #expect(throws: error) { try ProtocolParameterSelection(bytes: bytes(text)) }
    }

    @Test func `the response agrees, falls back, or is rejected`() throws {
        let request = ProtocolParameterSelection(transmissionProtocol: 1, pps1: 0x13)
        #expect(request.agreedRate(request)?.baudRateAdjustment == 4)
        #expect(request.agreedRate(ProtocolParameterSelection(transmissionProtocol: 1)) == .initial)
        #expect(request.agreedRate(ProtocolParameterSelection(transmissionProtocol: 0, pps1: 0x13)) == nil)
        #expect(request.agreedRate(ProtocolParameterSelection(transmissionProtocol: 1, pps1: 0x12)) == nil)
        #expect(request.agreedRate(ProtocolParameterSelection(transmissionProtocol: 1, pps2: 1)) == nil)
    }

    @Test func `no bytes crash the reader`() {
        var chance = SeededGenerator(seed: 11)
        for _ in 0..<3000 {
            let input = [0xFF] + chance.bytes(chance.number(0...7))
            if let selection = try? ProtocolParameterSelection(bytes: input) { #expect(selection.bytes == input) }
        }
    }
}
