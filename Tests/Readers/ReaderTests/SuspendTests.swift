import CCID
import Simulator
import SmartCard
import Testing
import USB

extension OverLibUSB {
    /// The machine sleeps while a reader is open: the kernel ends what is under way as if the reader were gone.
    @Suite struct SuspendTests {
        @Test func `a reader that is present after a suspend works, and its notifications are received`() async throws {
            var timing = CCIDTiming.short
            (timing.pollInterval, timing.notifiedPollInterval) = (.seconds(60), .seconds(60))
            try await BridgeBench.run { [timing] bench in
                let machine = SleepingMachine()
                let plugged = try await bench.plug(.tpdu, TestCard(TestCard.t0))
                let reader = try await bench.open(plugged, timing, time: machine)
                for _ in 0..<3 {
                    let channel = try await reader.powerOn()
                    #expect(try await channel.transmit(.read(4)).data == [0, 1, 2, 3])
                    await bench.until { try await plugged.count(.transfers) == 1 }
                    try await USBBridge.suspend(plugged.device.address)
                    machine.wakeUp(after: .seconds(3600))
                    // Cards are no longer powered.
                    await #expect(throws: CardChannelError.readerUnavailable(CCIDError.suspended.description)) {
                        try await channel.transmit(.read(4))
                    }
                }
                plugged.simulated.removeCard()
                #expect(try await reader.waitForCard(present: false, timeout: .seconds(30)))
                let wait = Task { try await reader.waitForCard(present: true, timeout: .seconds(30)) }
                try await Task.sleep(for: .milliseconds(20))
                // The slot is not queried: only the notification shows the change.
                plugged.simulated.insert(TestCard(TestCard.t0))
                #expect(try await wait.value)
                await reader.close()
            }
        }

        @Test func `a reader that is missing after a suspend is reported at once`() async throws {
            try await BridgeBench.run { bench in
                let machine = SleepingMachine()
                let plugged = try await bench.plug(.tpdu)
                let reader = try await bench.open(plugged, time: machine)
                await bench.until { try await plugged.count(.transfers) == 1 }
                try await USBBridge.suspend(plugged.device.address)
                machine.wakeUp(after: .seconds(3600))
                try await bench.unplug(plugged)
                await #expect(throws: CCIDError.readerGone) {
                    try await reader.waitForCard(present: true, timeout: .seconds(30))
                }
                await reader.close()
            }
        }
    }
}
