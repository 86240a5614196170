import CardSecrets
import Connections
import Determinism
import Foundation
import ISO8583
import Simulator
import Testing

@testable import Acquirer

/// A client of others: `Scripts/python/iso8583_client.py`, in a process of its own, with pyiso8583. `Scripts/test`
/// installs it, and names its interpreter in `CARDPRESENT_ISO8583`.
@Suite("A client written with pyiso8583")
struct ForeignClientTests {
    private static let python = ProcessInfo.processInfo.environment["CARDPRESENT_ISO8583"]

    @Test(.enabled(if: python != nil), .timeLimit(.minutes(10)))
    func `signs on, sells, reverses, and repeats the reversal`() async throws {
        let time = SystemTimeSource()
        let keys = try TestKeys.embedded()
        let acquirer = try SimulatedAcquirer(
            profile: try #require(MessageProfile.shipped("iso87-ascii")), keys: keys, time: time,
            random: SeededRandomSource(seed: 1))
        let server = AcquirerServer(acquirer, faults: AcquirerFaultPlan(random: SeededRandomSource(seed: 1)))
        let listener = try await TCPListener.open(
            TCPAddress(host: "127.0.0.1", port: 0), deadline: Deadline(after: .seconds(10), on: time), time: time)
        let serving = Task { try? await listener.serve { await server.serve($0) } }
        var track = try TestCards(keys: keys).track("stripe-only").withUnsafeBytes { [UInt8]($0) }
        defer { track.wipe() }
        let answers = try await Self.run(port: listener.address.port, input: Data(track + [0x0A]))
        listener.close()
        serving.cancel()
        await serving.value

        #expect(answers.map { $0["t"] } == ["0810", "0210", "0210", "0430", "0430"])
        #expect(answers.map { $0["39"] } == ["00", "00", "58", "00", "00"])
        #expect(answers[0]["70"] == "001")
        #expect(answers[1]["38"]?.count == 6 && answers[1]["37"]?.count == 12)
        #expect(answers[3] == answers[4])
        let records = await acquirer.records
        #expect(records.map(\.kind) == [.sale, .sale, .reversal])
        #expect(records.map(\.state) == [.reversed, .declined, .approved])
        #expect(records[0].lastFour == "7014" && records[0].terminal == "PYTHON01")
    }

    @concurrent private static func run(port: UInt16, input: Data) async throws -> [[String: String]] {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let process = Process()
        process.executableURL = URL(filePath: try #require(python))
        process.arguments = [root.appending(path: "Scripts/python/iso8583_client.py").path, "\(port)"]
        let (stdin, stdout) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (stdin, stdout)
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try JSONDecoder().decode([[String: String]].self, from: output)
    }
}
