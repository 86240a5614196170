import CCID
import Simulator
import Testing
import USB

extension OverLibUSB {
    /// The owner of the reader's interface.
    @Suite struct ClaimTests {
        @Test func `the kernel driver is detached when a reader is opened, and attached again when it is closed`()
            async throws
        {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                try await USBBridge.setDriver("other", of: plugged.device.address)
                for round in 1...2 {
                    let reader = try await bench.open(plugged)
                    #expect(try await plugged.count(.detaches) == round)
                    #expect(try await plugged.count(.attaches) == round - 1)
                    #expect(try await reader.cardStatus() == .absent)
                    await reader.close()
                    #expect(try await plugged.count(.attaches) == round)
                }
                #expect(try await plugged.count(.claims) == 2)
                #expect(try await plugged.count(.releases) == 2)
            }
        }

        @Test func `no driver is attached if there was none`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                await (try bench.open(plugged)).close()
                #expect(try await plugged.count(.detaches) == 0)
                #expect(try await plugged.count(.attaches) == 0)
                await bench.until { try await plugged.count(.files) == 0 }
            }
        }

        @Test func `a reader in use by another program is busy until that program releases it`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                try await USBBridge.setTaken(true, plugged.device.address)
                await #expect(throws: CCIDError.usb(.busy)) { try await bench.open(plugged) }
                await bench.until { try await plugged.count(.files) == 0 }
                try await USBBridge.setTaken(false, plugged.device.address)
                let reader = try await bench.open(plugged)
                #expect(try await reader.cardStatus() == .absent)
                await reader.close()
            }
        }

        @Test func `a reader is opened once`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                let reader = try await bench.open(plugged)
                await #expect(throws: CCIDError.usb(.busy)) { try await bench.open(plugged) }
                #expect(try await reader.cardStatus() == .absent)
                await reader.close()
            }
        }
    }
}
