import Foundation
import Simulator
import Testing

extension OverLibUSB {
    /// `readers watch --connect`, as it is typed.
    @Suite struct WatchTests {
        @Test func `a connection is shown as it is lost, got back and given up`() async throws {
            try await BridgeBench.run { bench in
                var plugged = try await bench.plug(.shortAPDU)
                let program = try RunningProgram(["readers", "watch", "--connect", "--json"])
                await bench.until { program.changes.last == "idle" }
                #expect(Set(program.changes) == ["present", "connected", "idle"])
                try await bench.unplug(plugged)
                await bench.until { program.changes.contains("left") && program.changes.contains("reconnecting") }
                plugged = try await bench.plug(plugged.simulated)
                await bench.until { program.changes.contains("succeeded") && program.changes.contains("arrived") }
                #expect(program.output.contains("\"reason\":\"unplugged\""))
                #expect(program.output.contains("\"attempt\":0"))
                #expect(program.output.contains("\"attempt\":1"))
                try await bench.unplug(plugged)
                await bench.until { program.changes.filter { $0 == "disconnected" }.count == 2 }
                await bench.until { program.changes.filter { $0 == "reconnecting" }.count == 3 }
                program.send(SIGINT)
                #expect(try await program.end() == 0)
                #expect(program.changes.last == "failed")
                #expect(program.output.contains("\"reason\":\"cancelled\""))
                #expect(program.errorOutput == "")
            }
        }

        @Test func `a reader that comes later is connected, and let go of when the program ends`() async throws {
            try await BridgeBench.run { bench in
                let program = try RunningProgram(["readers", "watch", "--connect"])
                try await Task.sleep(for: .milliseconds(300))
                #expect(program.output == "")
                let plugged = try await bench.plug(.tpdu)
                await bench.until { program.output.contains("idle") }
                #expect(program.output.contains("connected     1209:0001@"))
                #expect(try await plugged.count(.claims) == 1)
                program.send(SIGTERM)
                #expect(try await program.end() == 0)
                #expect(try await plugged.count(.releases) == 1)
            }
        }
    }
}
