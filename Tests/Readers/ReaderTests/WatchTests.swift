import Foundation
import Simulator
import Testing
import USB

extension OverLibUSB {
    /// `readers watch --connect` at the command line.
    @Suite struct WatchTests {
        @Test func `a connection is shown as lost, reconnected, and given up`() async throws {
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

        @Test func `a reader that arrives later is connected, and released at the end`() async throws {
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

        @Test func `a payment uses the last used reader, unless another one is named`() async throws {
            try await BridgeBench.run { bench in
                let (first, second) = (try await bench.plug(.tpdu), try await bench.plug(.shortAPDU))
                let records = FileManager.default.temporaryDirectory.path + "/preference-\(UUID().uuidString)"
                defer { try? FileManager.default.removeItem(atPath: records) }
                let data = ["--database", "\(records)/till.sqlite"]
                let (firstID, secondID) = (
                    "1209:0001@\(try #require(first.device.port))", "1209:0002@\(try #require(second.device.port))"
                )
                func run(_ arguments: [String]) async throws -> (status: Int32?, output: String) {
                    let program = try RunningProgram(arguments + data)
                    return (try await program.end(), program.output)
                }
                func claims() async throws -> [Int] {
                    [try await first.count(.claims), try await second.count(.claims)]
                }
                let pay = ["pay", "1", "--timeout", "1", "--reader"]
                #expect(try await run(["readers", "remember", secondID]).status == 0)
                // No card is inserted: the payment ends without one.
                #expect(try await run(pay + ["usb"]).status != 0)
                #expect(try await claims() == [0, 1])
                #expect(try await run(pay + ["usb:\(firstID)"]).status != 0)
                #expect(try await claims() == [1, 1])
                #expect(try await run(pay + ["usb"]).status != 0)
                #expect(try await claims() == [2, 1])
                let listed = try await run(["readers", "list"]).output.split(separator: "\n")
                    .dropFirst()
                #expect(listed.count == 2 && listed.allSatisfy { $0.hasSuffix(", remembered") })
            }
        }

        @Test func `info shows a reader's connection and its users`() async throws {
            try await BridgeBench.run { bench in
                let plugged = try await bench.plug(.tpdu)
                try await USBBridge.setDriver("usbhid", of: plugged.device.address)
                let port = try #require(plugged.device.port)
                let program = try RunningProgram(["readers", "info"])
                #expect(try await program.end() == 0)
                #expect(
                    program.output.contains("  place         bus 1 device \(plugged.device.address), port \(port)\n"))
                #expect(program.output.contains("  owner         the kernel driver usbhid (interface \(port):1.0)\n"))
                #expect(program.output.contains("  card          absent\n"))
            }
        }
    }
}
