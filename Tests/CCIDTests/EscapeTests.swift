import CCID
import Testing

/// A maker's own commands (CCID 1.1 §6.1.8).
@Suite struct EscapeTests {
    private static let command = "> 6B 03000000 00 01 000000 424154"

    @Test func `an escape command and its answer are one message each`() async throws {
        let rig = try await Rig(.tpdu, [Self.command, "< 83 04000000 00 01 02 00 00 42415464"])
        #expect(try await rig.reader.escape([0x42, 0x41, 0x54]) == [0x42, 0x41, 0x54, 100])
        await rig.expectDone()
    }

    @Test func `a reader that does not know the command says so`() async throws {
        let rig = try await Rig(.tpdu, [Self.command, "< 83 00000000 00 01 42 00 00"])
        await #expect(throws: CCIDError.self) { try await rig.reader.escape([0x42, 0x41, 0x54]) }
        await #expect(throws: CCIDError.noSuchSlot(7)) { try await rig.reader.escape([0x42], slot: 7) }
        await rig.expectDone()
    }
}
