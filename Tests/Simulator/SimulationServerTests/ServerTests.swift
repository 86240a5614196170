import Determinism
import Foundation
import HTTPListening
import Simulator
import TestOpenAPI
import Testing
import Text

@testable import SimulationServer

@Suite("The server", .timeLimit(.minutes(12)))
struct ServerTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

    /// Serves for as long as `work` takes.
    private func serving(
        _ configuration: SimulationServiceConfiguration = .init(), _ work: (SimulationServer) async throws -> Void
    ) async throws {
        let server = try await SimulationServer.start(SimulationService(configuration, time: SystemTimeSource()))
        do { try await work(server) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Runs a program. The limit in seconds ends one that hangs.
    private func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], limit: Int = 120
    ) async throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["timeout", "-k", "5", "\(limit)", program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = Self.root
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        // On a separate thread, because the server needs the few threads of tasks.
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                continuation.resume(returning: (process.terminationStatus, text))
            }
        }
    }

    @Test("takes one payment with the curl example")
    func curl() async throws {
        try await serving { server in
            let result = try await run("Examples/curl/pay.sh", [server.address])
            #expect(result.status == 0, "\(result.text)")
            #expect(result.text.contains("P000001: approved"))
            #expect(result.text.contains("12.50"))
        }
    }

    @Test("accepts the example only with a token")
    func token() async throws {
        let configuration = SimulationServiceConfiguration(token: SealedBytes(Array("a-token-of-some-length".utf8)))
        try await serving(configuration) { server in
            let without = try await run("Examples/curl/pay.sh", [server.address])
            #expect(without.status != 0)
            #expect(without.text.contains("401"))
            let with = try await run(
                "Examples/curl/pay.sh", [server.address], environment: ["CARDPRESENT_TOKEN": "a-token-of-some-length"])
            #expect(with.status == 0, "\(with.text)")
        }
    }

    @Test("rejects a body that is too large, and continues")
    func tooLarge() async throws {
        try await serving { server in
            let large = String(repeating: " ", count: SimulationServiceConfiguration.longestBody + 1)
            let file = FileManager.default.temporaryDirectory.appending(path: "large-\(server.port)")
            try Data(large.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let refused = try await run(
                "curl",
                ["--silent", "--max-time", "300", "--data-binary", "@\(file.path)", server.address + "/v1/sessions"])
            #expect(refused.text.contains("body_too_large"), "\(refused.text.prefix(500))")
            let next = try await run("curl", ["--silent", "--max-time", "300", server.address + "/v1"])
            #expect(next.text.contains("\"sessions\":0"))
        }
    }

    @Test("streams events as they happen, until their session ends")
    func stream() async throws {
        try await serving { server in
            let script = """
                set -eu
                stream=$(mktemp)
                trap 'rm -f "$stream"' EXIT
                curl -sS --max-time 300 -d '{"cards": ["visa-credit"]}' $0/v1/sessions >/dev/null
                curl -sSN --max-time 300 -H 'Accept: text/event-stream' -H 'Last-Event-ID: 2' $0/v1/sessions/s1/events >$stream &
                until grep -q '^id: 3$' $stream; do sleep 0.1; done
                curl -sS --max-time 300 -d '{"amount": "1.00"}' $0/v1/sessions/s1/payments >/dev/null
                until grep -q '^event: journal$' $stream; do sleep 0.1; done
                curl -sS --max-time 300 -X DELETE $0/v1/sessions/s1
                wait
                cat $stream
                """
            let result = try await run("bash", ["-c", script, server.address])
            #expect(result.status == 0, "\(result.text.suffix(500))")
            let lines = result.text.split(separator: "\n")
            #expect(!lines.contains("id: 2"))
            #expect(lines.first { $0.hasPrefix("id: ") } == "id: 3")
            #expect(lines.contains("event: journal"))
        }
    }

    static let hasChromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Whether the console must be tested: the gate says so.
    static let mustTestConsole = ProcessInfo.processInfo.environment["CARDPRESENT_CONSOLE_CHECK"] != nil

    @Test(
        "has a console to pay, look back, make faults, pause, and repeat a session, without barriers",
        .enabled(if: hasChromium || mustTestConsole, "Chromium is not installed: 'Scripts/setup browser' does it"))
    func console() async throws {
        // The script has a limit for each of its steps. This one is for all of them, which took 564 seconds beside two
        // other runs of all tests. It starts the program.
        let result = try await run("Scripts/console", Self.mustTestConsole ? ["--check"] : [], limit: 1800)
        #expect(result.status == 0, "\(result.text)")
    }

    @Test("reports why it cannot listen")
    func port() async throws {
        try await serving { server in
            let error = await #expect(throws: HTTPListenerError.self) {
                try await SimulationServer.start(
                    SimulationService(time: SystemTimeSource()), port: server.port)
            }
            #expect(error?.reason == "another program uses the port")
        }
    }
}
